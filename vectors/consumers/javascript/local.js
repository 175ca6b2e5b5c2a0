"use strict";
// The local model: users add noise before anybody sees what they say (Wang 2020, chapter 5).

const {
  apply, dot, each, eigen, mean, minus, norm, norm1, outer, range, solve, sum, times,
  zeros,
} = require("./linear-algebra.js");
const { gaussianScale } = require("./accounting.js");
const { NotImplemented } = require("./not-implemented.js");
const { grid, minimum, polynomial } = require("./bernstein.js");
const { clamp, clampAll } = require("./models.js");
const { keepLargest, scaleDown } = require("./sets.js");
const { logistic } = require("./special-functions.js");

const inUnit = (x, upper = 1) => Math.max(0, Math.min(upper, x));
const average = (v) => sum(v) / v.length;

/** Algorithm 5.1.30. */
function localMean(a, ledger) {
  const values = a.data.map((x) => inUnit(x, a.upper));
  return average(ledger.laplace(values, a.upper, a.upper / a.epsilon));
}

/** Return the mean message of every part of the users. */
function meansByPart(messages, partition) {
  const parts = Math.max(...partition) + 1;
  return range(parts).map((l) => average(messages.filter((_, i) => partition[i] === l)));
}

/** Every user says one coordinate. */
function localVectorMean(a, ledger) {
  const partition = a.partition ?? ledger.public();
  const values = a.data.map((x, i) => inUnit(x[partition[i]], a.upper));
  return meansByPart(ledger.laplace(values, a.upper, a.upper / a.epsilon), partition);
}

const USER_LOSSES = {
  MeanSquaredDistance: ({ dimension }) => (w, x) => norm(minus(w, x)) ** 2 / dimension,
};

/** Return a loss whose values are in [0, 1] whatever the record is. */
function userLoss(object) {
  const loss = USER_LOSSES[object.type](object);
  return (w, x) => {
    const value = loss(w, x);
    return Number.isNaN(value) ? 1 : inUnit(value);
  };
}

/** The server's step: minimise the polynomial through values on the grid. */
function minimumOf(values, a, strength = 0) {
  if (a.minimiser) throw new NotImplemented(`the minimiser ${a.minimiser.type}`);
  const p = a.loss.dimension;
  const f = polynomial(values, a.constants.degree, p, a.order, strength);
  return minimum(f, p, a.constraint);
}

/** Algorithm 5.1.31: every user says its loss at every point of the grid. */
function localBernstein(a, ledger, strength = a.strength ?? 0) {
  const loss = userLoss(a.loss);
  const values = grid(a.constants.degree, a.loss.dimension).map((w) =>
    average(ledger.laplace(a.data.map((x) => loss(w, x)), 1, 1 / a.constants.step_epsilon)));
  return minimumOf(values, a, strength);
}

/** Algorithm 5.1.32: one bit of every user beside public noise y; E 2 y b is the loss. */
function oneBitBernstein(a, ledger) {
  const loss = userLoss(a.loss);
  const points = grid(a.constants.degree, a.loss.dimension);
  const partition = a.partition ?? ledger.public();
  const y = a.public_noise ?? ledger.public();
  const epsilon = a.constants.bit_epsilon;
  const bits = ledger.bit(a.data.map((x, i) => {
    const v = loss(points[partition[i]], x);
    return Math.exp(epsilon * (Math.abs(y[i]) - Math.abs(y[i] - v))) / 2;
  }));
  return minimumOf(meansByPart(bits.map((b, i) => 2 * y[i] * b), partition), a);
}

/** f and f', by name. */
const FUNCTIONS = {
  "local.links.LOGISTIC": { value: logistic, slope: (z) => logistic(z) * logistic(-z), largest: () => 1 / 4 },
  "local.links.CUBIC": { value: (z) => z ** 3 / 3, slope: (z) => z ** 2, largest: (r) => r ** 2 },
  "local.links.IDENTITY": { value: (z) => z, slope: () => 1, largest: () => 1 },
  "local.nonlinear_hard_thresholding.EIGHT_X_AND_COSINE": {
    value: (z) => 8 * z + Math.cos(z),
    slope: (z) => 8 - Math.sin(z),
  },
};

/** Return a bound on labels: L r + |f(0)| + C. */
const labelBound = (f, radius, noiseBound) =>
  f.largest(radius) * radius + Math.abs(f.value(0)) + noiseBound;

/** Algorithms 5.2.39 and 5.2.40: least squares from noisy moments, scaled on public features. */
function scaledLeastSquares(a, ledger, largestLabel) {
  const link = FUNCTIONS[a.link.name];
  const radius = a.radius ?? 1;
  const k = a.constants;
  const features = a.data.features.map((x) => times(1 / Math.max(1, norm1(x) / radius), x));
  const labels = a.data.labels.map((y) => clamp(y, largestLabel(link, radius)));
  const matrices = ledger.symmetricGaussian(
    features.map((x) => outer(x, x)), k.matrix_sensitivity, k.matrix_scale);
  const vectors = ledger.gaussian(
    features.map((x, i) => times(labels[i], x)), k.vector_sensitivity, k.vector_scale);
  const moment = each((...entries) => average(entries), ...matrices);
  const estimate = solve(moment, mean(vectors));
  const { values } = eigen(moment);
  const factor = smallestRoot(link, apply(a.public_features, estimate));
  return {
    coefficients: factor === null ? null : times(factor, estimate),
    least_squares: estimate,
    factor,
    smallest_eigenvalue: values[values.length - 1],
  };
}

/** Return the smallest root c > 0 of c mean f'(c t_j) = 1. */
function smallestRoot(link, scores) {
  const excess = (c) => c * average(scores.map((t) => link.slope(c * t))) - 1;
  let low = 1e-6;
  for (let high = low; high < 1e6; high *= 1.002) {
    if (excess(high) >= 0) {
      for (let step = 0; step < 200; step++) {
        const middle = (low + high) / 2;
        if (excess(middle) >= 0) high = middle;
        else low = middle;
      }
      return (low + high) / 2;
    }
    low = high;
  }
  return null;
}

/** Return the sparse point of the unit ball to which a step leads. */
const truncated = (theta, sparsity) =>
  scaleDown(keepLargest(theta, Math.min(8 * sparsity, theta.length)), 1);

const cutFeatures = ({ features }) => features.map((x) => clampAll(x, 1));

/** Algorithms 5.3.41 and 5.3.44: a block of users says gradients through the randomizer. */
function localHardThresholding(a, ledger, f, step) {
  const features = cutFeatures(a.data);
  const [n, p] = [features.length, features[0].length];
  const size = Math.floor(n / a.n_iterations);
  const radius = a.constants.radius;
  let theta = zeros(p);
  for (let t = 0; t < a.n_iterations; t++) {
    const last = t === a.n_iterations - 1;
    const gradients = range(last ? n - t * size : size).map((j) => {
      const i = t * size + j;
      const score = dot(features[i], theta);
      const factor = f.slope(score) * (f.value(score) - a.data.labels[i]);
      return times(clamp(factor, radius / Math.sqrt(p)), features[i]);
    });
    const said = ledger.l2Ball(gradients, radius, a.epsilon);
    theta = truncated(minus(theta, times(step, mean(said))), a.sparsity);
  }
  return theta;
}

/** Release the labels less f(0), cut to the range that the model gives them. */
function noisyLabels(a, ledger, centre = 0) {
  const { truncation_level: y, noise_scale } = a.constants;
  const cut = a.data.labels.map((label) => clamp(label - centre, y));
  return ledger.gaussian(cut, 2 * y, noise_scale).map((noisy) => centre + noisy);
}

/** Algorithms 5.3.42 and 5.3.45: labels are private, and steps are free. */
function labelHardThresholding(a, ledger, f, step) {
  const features = cutFeatures(a.data);
  const labels = noisyLabels(a, ledger, f.value(0));
  let theta = zeros(features[0].length);
  for (let t = 0; t < a.n_iterations; t++) {
    const g = mean(features.map((x, i) => {
      const score = dot(x, theta);
      return times(f.slope(score) * (f.value(score) - labels[i]), x);
    }));
    theta = truncated(minus(theta, times(step, g)), a.sparsity);
  }
  return theta;
}

/** argmin (1/2n) ||y - X theta||^2 + penalty ||theta||_1 on the noisy labels. */
function labelLasso(a, ledger) {
  const features = cutFeatures(a.data);
  const n = features.length;
  const theta = zeros(features[0].length);
  const residuals = [...noisyLabels(a, ledger)];
  for (let pass = 0; pass < 100000; pass++) {
    let moved = 0;
    for (let j = 0; j < theta.length; j++) {
      const square = sum(features.map((x) => x[j] ** 2)) / n;
      if (square === 0) continue;
      const target = theta[j] + sum(features.map((x, i) => x[j] * residuals[i])) / (n * square);
      const next = Math.sign(target) * Math.max(0, Math.abs(target) - a.constants.penalty / square);
      features.forEach((x, i) => { residuals[i] -= (next - theta[j]) * x[j]; });
      moved = Math.max(moved, Math.abs(next - theta[j]));
      theta[j] = next;
    }
    if (moved <= 1e-16) break;
  }
  return theta;
}

const LINEAR = FUNCTIONS["local.links.IDENTITY"];

const algorithms = {
  "diss-5.1.30": localMean,
  "diss-5.1-LDPAVGvec": localVectorMean,
  "diss-5.1.31": (a, ledger) => localBernstein(a, ledger),
  "diss-5.1-pop": (a, ledger) => localBernstein(a, ledger, a.data.length ** (-1 / 12)),
  "diss-5.1.32": oneBitBernstein,
  "diss-5.2.39": (a, ledger) => scaledLeastSquares(a, ledger, () => 1),
  "diss-5.2.40": (a, ledger) =>
    scaledLeastSquares(a, ledger, (f, radius) => labelBound(f, radius, a.noise_bound)),
  "diss-5.3.41": (a, ledger) => localHardThresholding(a, ledger, LINEAR, a.step_size ?? 1),
  "diss-5.3.42": (a, ledger) => labelHardThresholding(a, ledger, LINEAR, a.step_size ?? 1),
  "diss-5.3.44": (a, ledger) =>
    localHardThresholding(a, ledger, FUNCTIONS[a.function.name], a.constants.step_size),
  "diss-5.3.45": (a, ledger) =>
    labelHardThresholding(a, ledger, FUNCTIONS[a.function.name], a.constants.step_size),
  "diss-5.3.lasso": labelLasso,
  "diss-5.3.rand": (a, ledger) =>
    ledger.l2Ball(a.data.map((x) => scaleDown(x, a.radius)), a.radius, a.epsilon),
};

/** Labels of the model are within sqrt(s) + C of 0. */
const constants = {
  "diss-5.3.42"(a) {
    const level = Math.sqrt(a.sparsity) + a.noise_bound;
    const noise_scale = gaussianScale(2 * level, a.epsilon, a.delta);
    return { truncation_level: level, noise_scale };
  },
};

module.exports = { algorithms, constants };
