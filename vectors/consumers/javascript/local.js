"use strict";
// The local model: users add noise before anybody sees what they say (Wang 2020, chapter 5).

const {
  apply, dot, each, eigen, mean, minus, norm, norm1, outer, plus, range, solve, sum, times,
  zeros,
} = require("./linear-algebra.js");
const { gaussianScale } = require("./accounting.js");
const { NotImplemented } = require("./not-implemented.js");
const { grid, minimum, polynomial } = require("./bernstein.js");
const { clamp, clampAll } = require("./models.js");
const { keepLargest, scaleDown, setOf } = require("./sets.js");
const { binomial, logistic } = require("./special-functions.js");

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

/** Algorithm 5.1.37: the index of one of several public numbers, as if of a bit for each of them. */
function selectedNoiseBernstein(a, ledger) {
  const loss = userLoss(a.loss);
  const points = grid(a.constants.degree, a.loss.dimension);
  const partition = a.partition ?? ledger.public();
  const y = a.public_noise ?? ledger.public();
  const epsilon = a.constants.base_epsilon;
  const scores = a.data.map((x, i) => {
    const v = loss(points[partition[i]], x);
    const p = y[i].map((yt) => Math.exp(epsilon * (Math.abs(yt) - Math.abs(yt - v))) / 2);
    return indexProbabilities(p).map(Math.log);
  });
  const chosen = ledger.exponential(scores, 2 * epsilon, 4 * epsilon);
  return minimumOf(meansByPart(chosen.map((t, i) => y[i][t]), partition), a);
}

/** Return the law of an index that is uniform among those whose bits are 1, or among all if none. */
function indexProbabilities(p) {
  const none = p.reduce((product, pt) => product * (1 - pt), 1);
  return p.map((pt, t) => {
    let counts = [1]; // of ones among the others
    p.forEach((ps, s) => {
      if (s === t) return;
      const next = [...counts.map((c) => c * (1 - ps)), 0];
      counts.forEach((c, k) => { next[k + 1] += c * ps; });
      counts = next;
    });
    return pt * sum(counts.map((c, k) => c / (k + 1))) + none / p.length;
  });
}

/** Release d(d + 1) + 1 noisy copies of every record (x, y). */
function sendCopies(a, ledger) {
  const { pair_noise_scale, factor_noise_scale } = a.constants;
  const d = a.degree;
  const records = a.data.features.map((x, i) => [...scaleDown(x, 1), clamp(a.data.labels[i], 1)]);
  const copies = records.map((r) => range(d + 1).map(() => range(d).map(() => r)));
  return {
    pair: ledger.gaussian(records, Math.sqrt(8), pair_noise_scale),
    factors: ledger.gaussian(copies, Math.sqrt(8 * d * (d + 1)), factor_noise_scale),
  };
}

/**
 * Return an unbiased estimate of the Bernstein polynomial with the given values at 2j/d - 1, at
 * the mean of the arguments.
 */
function bernsteinEstimate(args, values) {
  const d = values.length - 1;
  return sum(values.map((c, j) => args[j].reduce(
    (product, t, k) => product * (k < j ? t : 1 - t), c * binomial(d, j))));
}

const nodes = (d) => range(d + 1).map((j) => (2 * j) / d - 1);
const smoothedStep = (x, beta) => (1 + x / Math.sqrt(x * x + beta * beta)) / 2;
const margin = (copy, w) => copy[copy.length - 1] * dot(copy.slice(0, -1), w);

/** The stochastic intermediate gradient method of order 1, Algorithm 5.1.38. */
function intermediateGradient(oracle, { radius, project }, p, smoothness, deviation, count) {
  const scale = (k) => smoothness + 2 ** 0.75 * (deviation / radius) * Math.sqrt(k + 2);
  let total = oracle(project(zeros(p)), 0);
  let y = project(times(-1 / scale(0), total));
  for (let k = 0; k + 1 < count; k++) {
    const z = project(times(-1 / scale(k), total));
    const g = oracle(z, k + 1);
    const x = project(minus(z, times(1 / scale(k), g)));
    total = plus(total, g);
    y = times(1 / (k + 2), plus(times(k + 1, y), x));
  }
  return y;
}

/** Algorithms 5.1.33 and 5.1.34: gradients of one user at a time, from the noisy copies. */
function fromCopies(a, ledger, slope, draw) {
  const { pair, factors } = sendCopies(a, ledger);
  const users = ledger.public();
  const more = draw ? ledger.public() : [];
  const oracle = (w, t) => {
    const [i, copy] = [users[t], pair[users[t]]];
    const margins = factors[i].map((row) => row.map((r) => margin(r, w)));
    return times(slope(margins, more[t]) * copy[copy.length - 1], copy.slice(0, -1));
  };
  const n = a.data.labels.length;
  const p = a.data.features[0].length;
  const constraint = setOf(a.constraint);
  return intermediateGradient(
    oracle, constraint, p, 1 / (2 * a.smoothing), a.constants.gradient_deviation, n);
}

/** The slope of the smoothed [1/2 - t]_+. */
function hingeLoss(a, ledger) {
  const values = nodes(a.degree).map((t) => -smoothedStep(0.5 - t, a.smoothing));
  return fromCopies(a, ledger, (margins) =>
    bernsteinEstimate(margins.map((row) => row.map((t) => (1 + t) / 2)), values));
}

/** f'(-1) and f'(1). */
const MARGIN_LOSSES = {
  "local.margin_losses.HINGE": [-1, 0],
  "local.margin_losses.LOGISTIC": [-1 / (1 + Math.exp(-1)), -1 / (1 + Math.exp(1))],
};

/** The slope of a mean of smoothed |t - s|, one s for a step. */
function generalLinearLoss(a, ledger) {
  const [low, high] = MARGIN_LOSSES[a.loss.name];
  const values = nodes(a.degree).map((t) => smoothedStep(t, a.smoothing));
  return fromCopies(a, ledger, (margins, s) => low + (high - low) *
    bernsteinEstimate(margins.map((row) => row.map((t) => (2 + t - s) / 4)), values), true);
}

/** Algorithm 5.1.36: products of Chebyshev polynomials of a record, an axis for every variable. */
function trigonometryMechanism(a, ledger) {
  const table = (x) => range(a.n_degrees).map((v) => Math.cos(v * Math.acos(clamp(x, 1))));
  const product = ([first, ...rest]) =>
    table(first).map((value) => rest.length === 0 ? value : each((y) => value * y, product(rest)));
  const { sensitivity, noise_scale } = a.constants;
  const said = ledger.laplace(a.data.map(product), sensitivity, noise_scale);
  return { means: each((...entries) => average(entries), ...said) };
}

/**
 * Return the coefficients of a polynomial that is 0 at 0 and within gamma of 1 at 1, ..., k:
 * 1 - T_t((k + 1 - 2x)/(k - 1))/T_t((k + 1)/(k - 1)), or 1 - (1 - x)(1 - x/2)..(1 - x/k), exact,
 * where that has the lower degree.
 */
function disjunction(k, gamma) {
  const end = (k + 1) / (k - 1);
  const degree = Math.ceil(Math.acosh(1 / gamma) / Math.acosh(end));
  if (k === 1 || degree > k) {
    let f = [1];
    for (let j = 1; j <= k; j++) f = [...f, 0].map((c, i) => c - (f[i - 1] ?? 0) / j);
    return f.map((c, i) => (i === 0 ? 0 : -c));
  }
  const twice = (f) => [...f, 0].map((c, i) => 2 * (end * c - (2 / (k - 1)) * (f[i - 1] ?? 0)));
  let [before, chebyshev] = [[1], [end, -2 / (k - 1)]];
  for (let t = 2; t <= degree; t++) {
    [before, chebyshev] =
      [chebyshev, twice(chebyshev).map((c, i) => c - (before[i] ?? 0))];
  }
  return chebyshev.map((c, i) => (i === 0 ? 0 : -c / chebyshev[0]));
}

/** Return the monomials of p variables of degree 1 to t, as lists of variables. */
function monomials(p, t) {
  let last = [[]];
  return range(t).flatMap(() => {
    last = last.flatMap((m) =>
      range(p).filter((j) => j >= (m[m.length - 1] ?? 0)).map((j) => [...m, j]));
    return last;
  });
}

/** Return in how many orders the variables of a monomial can stand. */
function orders(monomial) {
  let result = 1;
  monomial.forEach((j, i) => {
    result = (result * (i + 1)) / monomial.slice(0, i + 1).filter((other) => other === j).length;
  });
  return result;
}

/** Algorithm 5.1.35: every user says the coefficients of its polynomial in the query. */
function marginals(a, ledger) {
  const c = disjunction(a.k, a.accuracy / 2);
  const all = monomials(a.data[0].length, c.length - 1);
  const at = (m, x) => m.reduce((product, j) => product * x[j], 1);
  const messages = a.data.map((x) => all.map((m) => c[m.length] * orders(m) * at(m, x)));
  const { sensitivity, noise_scale } = a.constants;
  const said = mean(ledger.laplace(messages, sensitivity, noise_scale));
  return a.queries.map((y) => sum(all.map((m, i) => said[i] * at(m, y))));
}

/** f and f', by name. */
const FUNCTIONS = {
  "local.links.LOGISTIC": {
    value: logistic,
    slope: (z) => logistic(z) * logistic(-z),
    largest: () => 1 / 4,
  },
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
  "diss-5.1.33": hingeLoss,
  "diss-5.1.34": generalLinearLoss,
  "diss-5.1.35": marginals,
  "diss-5.1.36": trigonometryMechanism,
  "diss-5.1.37": selectedNoiseBernstein,
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

/** Labels of the model are within b sqrt(s) + C of f(0), b the largest slope. */
function labelConstants(a) {
  const level = (a.largest_slope ?? 1) * Math.sqrt(a.sparsity) + a.noise_bound;
  const noise_scale = gaussianScale(2 * level, a);
  return { truncation_level: level, noise_scale };
}

/** Gradients are at most this long: b sqrt(p) (b (sqrt(s) + sqrt(s*)) + C). */
function gradientRadius({ dimension: p, sparsity, noise_bound, largest_slope: b = 1 }) {
  const kept = Math.min(8 * sparsity, p);
  return b * Math.sqrt(p) * (b * (Math.sqrt(kept) + Math.sqrt(sparsity)) + noise_bound);
}

/** The end of the window of steps that contract at the largest RIP constant. */
function contractingStep({ least_slope: a, largest_slope: b }) {
  const delta = (9 * a ** 2 - 5 * b ** 2) / (9 * a ** 2 + 5 * b ** 2);
  return 9 / (7 * b ** 2 * (1 + delta));
}

/** Half of mu^2 for slot 0, half for the d(d + 1) others; `width` divides a margin. */
function copyConstants(a, width, slope) {
  const copies = a.degree * (a.degree + 1);
  const pair_noise_scale = gaussianScale(4, a);
  const factor_noise_scale = gaussianScale(4, a, copies);
  const [s0, s] = [pair_noise_scale ** 2, factor_noise_scale ** 2];
  const pair = Math.sqrt((1 + s0) * (1 + a.dimension * s0));
  const polynomial = (1 + (2 * Math.sqrt(2 * s + s * s)) / width) ** a.degree;
  return { pair_noise_scale, factor_noise_scale, gradient_deviation: pair * slope(polynomial) };
}

function momentConstants(a) {
  const [r, label] = [a.radius, a.largest_label ?? 1];
  const unit = gaussianScale(Math.sqrt(6), a);
  return {
    matrix_sensitivity: Math.SQRT2 * r ** 2,
    vector_sensitivity: 2 * r * label,
    matrix_scale: r ** 2 * unit,
    vector_scale: r * label * unit,
  };
}

const laplaceFor = (sensitivity, epsilon) =>
  ({ sensitivity, noise_scale: sensitivity / epsilon });

/** Features move most where one variable goes from 1 to some cos(angle): sum of 1 - cos(v angle). */
function featureSensitivity({ n_degrees: t, dimension: p }) {
  const change = (angle) => sum(range(t).map((v) => 1 - Math.cos(v * angle)));
  const angles = range(20001).map((i) => (Math.PI * i) / 20000);
  return t ** (p - 1) * Math.max(...angles.map(change));
}

const constants = {
  "diss-5.1.33": (a) => copyConstants(a, 2, (polynomial) => polynomial),
  "diss-5.1.34": (a) => copyConstants(a, 4, (polynomial) => 2 * polynomial + 1),
  "diss-5.1.35": (a) => laplaceFor(norm1(a.coefficients), a.epsilon),
  "diss-5.1.36": (a) => laplaceFor(featureSensitivity(a), a.epsilon),
  "diss-5.2.39": momentConstants,
  "diss-5.2.40": momentConstants,
  "diss-5.3.41": (a) => ({ radius: gradientRadius(a) }),
  "diss-5.3.42": labelConstants,
  "diss-5.3.44": (a) => ({ radius: gradientRadius(a), step_size: contractingStep(a) }),
  "diss-5.3.45": (a) => ({ ...labelConstants(a), step_size: contractingStep(a) }),
  "diss-5.3.lasso"(a) {
    const found = labelConstants(a);
    const deviation = Math.hypot(a.noise_bound, found.noise_scale);
    return { ...found, penalty: 2 * deviation * Math.sqrt((2 * Math.log(2 * a.dimension)) / a.n) };
  },
};

module.exports = { algorithms, constants, disjunction };
