"use strict";
// Stationary points of empirical risks that need not be convex (Wang 2020, chapter 4).

const { apply, dot, eigen, each, minus, norm, norm1, plus, range, sum, times, zeros } =
  require("./linear-algebra.js");
const { gaussianScale, selectionEpsilon } = require("./accounting.js");
const { drawn } = require("./convex.js");
const {
  hessianChangeOf, hessianLipschitzOf, lossOf, lipschitzOf, meanGradient, smoothnessOf,
} = require("./losses.js");
const { mirrorMapOf, regularizerOf, scaleDown, setOf } = require("./sets.js");
const { solveInHalfBall, solveTrustRegion } = require("./trust-region.js");

const meanHessian = (loss, records, x) => {
  const matrices = records.map((record) => loss.hessian(record, x));
  return each((...entries) => sum(entries) / entries.length, ...matrices);
};

/** Return the points of T steps, the first of them included. */
function walk(initial, steps, next) {
  const path = [initial];
  for (let t = 1; t <= steps; t++) path.push(next(path[t - 1], t));
  return path;
}

/** Choose one of all points but the last. */
function randomIterate(path, ledger) {
  const index = ledger.public();
  return { output: path[index - 1], index, path };
}

/** Walk along released gradients, and choose a point at random. */
function alongGradients(a, ledger, next) {
  const loss = lossOf(a.loss);
  const records = loss.records(a.data);
  const { sensitivity, noise_scale, step_size } = a.constants;
  const path = walk(a.initial, a.n_iterations, (x) => {
    const g = ledger.gaussian(meanGradient(loss, records, x), sensitivity, noise_scale);
    return next(x, g, step_size);
  });
  return path;
}

/** Algorithm 4.1.16. */
function proximalGradientDescent(a, ledger) {
  const project = a.constraint ? setOf(a.constraint).project : (x) => x;
  const regularizer = regularizerOf(a.regularizer);
  const path = alongGradients(a, ledger, (x, g, step) =>
    project(regularizer.prox(minus(x, times(step, g)), step)));
  return randomIterate(path, ledger);
}

const towards = (x, v, step) => plus(x, times(step, minus(v, x)));

/** Algorithm 4.1.17. */
function frankWolfeL2(a, ledger, constraint = setOf(a.constraint)) {
  const path = alongGradients(a, ledger, (x, g, step) =>
    towards(x, constraint.linearMinimizer(g), step));
  return randomIterate(path, ledger);
}

/** Algorithm 4.1.18. */
function mirrorDescent(a, ledger) {
  const map = mirrorMapOf(a.mirror_map);
  const weight = a.regularizer?.weight ?? 0;
  const path = alongGradients(a, ledger, (x, g, step) => map.mirrorStep(x, g, step, weight));
  return randomIterate(path, ledger);
}

/** Algorithm 4.1.19: vertices are selected by the exponential mechanism. */
function frankWolfeL1(a, ledger, constraint = setOf(a.constraint)) {
  const loss = lossOf(a.loss);
  const records = loss.records(a.data);
  const { sensitivity, step_epsilon, step_size } = a.constants;
  const vertices = constraint.vertices(a.initial.length);
  const path = walk(a.initial, a.n_iterations, (x) => {
    const g = meanGradient(loss, records, x);
    const scores = vertices.map((v) => -dot(v, g));
    return towards(x, vertices[ledger.exponential(scores, sensitivity, step_epsilon)], step_size);
  });
  return randomIterate(path, ledger);
}

/** Algorithm 4.2.20: the regulariser's gradient needs no noise. */
function langevinDynamics(a, ledger) {
  const regularizer = regularizerOf(a.regularizer);
  return alongGradients(a, ledger, (w, g, step) =>
    minus(w, times(step, plus(g, regularizer.gradient(w)))));
}

/** Algorithm 4.3.25. */
const gradientDescent = (a, ledger) =>
  alongGradients(a, ledger, (w, g, step) => minus(w, times(step, g)));

/** Theorem 4.2.4: the exponential mechanism over the points of a net. */
function netMinimizer(a, ledger) {
  const loss = lossOf(a.loss);
  const records = loss.records(a.data);
  const regularizer = regularizerOf(a.regularizer);
  const d = a.dimension;
  const lipschitz = lipschitzOf(a.loss);
  const radius = lipschitz / a.regularizer.strength;
  const accuracy = a.accuracy ?? d / (records.length * a.epsilon);
  const risk = (w) => sum(records.map((z) => loss.value(z, w))) / records.length;
  const points = net(radius, accuracy, d);
  const atZero = risk(zeros(d));
  const scores = points.map((w) => atZero - risk(w) - regularizer.value(w));
  const sensitivity = (2 * lipschitz * radius) / records.length;
  return points[ledger.exponential(scores, sensitivity, a.epsilon)];
}

/**
 * Return the points of a grid of spacing 2 accuracy/sqrt(d) that are within the accuracy of a
 * ball, the last coordinate the fastest, projected on it.
 */
function net(radius, accuracy, d) {
  const spacing = (2 * accuracy) / Math.sqrt(d);
  const reach = Math.floor(radius / spacing + 0.5);
  const axis = range(2 * reach + 1).map((i) => spacing * (i - reach));
  let points = [[]];
  for (let j = 0; j < d; j++) points = points.flatMap((w) => axis.map((x) => [...w, x]));
  const near = (w) => norm(w) <= (radius + accuracy) * (1 + 1e-12); // on the edge counts
  return points.filter(near).map((w) => scaleDown(w, radius));
}

/** Release the gradient of some records at a point. */
function releasedGradient(a, ledger, loss, records, w, scale) {
  return ledger.gaussian(meanGradient(loss, records, w), a.constants.sensitivity, scale);
}

/** Release the Hessian of some records at a point. */
function releasedHessian(a, ledger, loss, records, w) {
  const { hessian_sensitivity, hessian_noise_scale } = a.constants;
  const hessian = meanHessian(loss, records, w);
  return ledger.symmetricGaussian(hessian, hessian_sensitivity, hessian_noise_scale);
}

/** Algorithm 4.3.26: test the points of gradient descent, all of them. */
function selectStationaryPoint(a, ledger) {
  const loss = lossOf(a.loss);
  const records = loss.records(a.data);
  const k = a.constants;
  const path = walk(a.initial, a.n_iterations, (w) => minus(w, times(
    k.step_size, releasedGradient(a, ledger, loss, records, w, k.descent_noise_scale))));
  const passes = path.map((w) => {
    const g = releasedGradient(a, ledger, loss, records, w, k.gradient_noise_scale);
    const { values } = eigen(releasedHessian(a, ledger, loss, records, w));
    return norm(g) <= k.gradient_threshold
      && values[values.length - 1] >= -k.curvature_threshold;
  });
  return { output: path[passes.indexOf(true)] ?? null, path };
}

/** Algorithm 4.3.27: a step of Frank and Wolfe, else one along negative curvature, else the end. */
function constrainedDescent(a, ledger) {
  const loss = lossOf(a.loss);
  const constraint = setOf(a.constraint);
  const records = loss.records(a.data);
  const k = a.constants;
  const path = [a.initial];
  for (let t = 0; t < a.n_iterations; t++) {
    const w = path[t];
    const g = releasedGradient(a, ledger, loss, records, w, k.noise_scale);
    const v = constraint.linearMinimizer(g);
    if (dot(g, minus(v, w)) < -k.slope_threshold) {
      path.push(towards(w, v, k.step_size));
      continue;
    }
    const hessian = releasedHessian(a, ledger, loss, records, w);
    const u = solveInHalfBall(hessian, w, constraint.radius, g, k.cut);
    const gap = minus(u, w);
    if (dot(apply(hessian, gap), gap) > -k.curvature_threshold) return { output: w, path };
    path.push(towards(w, u, k.curvature_step_size));
  }
  return { output: null, path };
}

/** Algorithms 4.3.28 and, with batches, 4.3.29. */
function trustRegion(a, ledger) {
  const loss = lossOf(a.loss);
  const records = loss.records(a.data);
  const k = a.constants;
  const size = k.batch_size ?? records.length;
  const path = [a.initial];
  for (let t = 0; t < a.n_iterations; t++) {
    const w = path[t];
    const [forGradient, forHessian] = [drawn(records, size, ledger), drawn(records, size, ledger)];
    const g = releasedGradient(a, ledger, loss, forGradient, w, k.noise_scale);
    const hessian = releasedHessian(a, ledger, loss, forHessian, w);
    const { step, multiplier } = solveTrustRegion(g, hessian, k.radius);
    path.push(plus(w, step));
    if (multiplier <= k.multiplier_threshold) return { output: path[t + 1], path };
  }
  return { output: null, path };
}

const algorithms = {
  "diss-4.1.16": proximalGradientDescent,
  "diss-4.1.17": (a, ledger) => frankWolfeL2(a, ledger),
  "diss-4.1.18": mirrorDescent,
  "diss-4.1.19": (a, ledger) => frankWolfeL1(a, ledger),
  "diss-4.2.20": langevinDynamics,
  "diss-4.2.21": (a, ledger) => frankWolfeL2(a, ledger, setOf({ type: "L2Ball", radius: 1 })),
  "diss-4.2.22": (a, ledger) => frankWolfeL1(a, ledger, setOf({ type: "L1Ball", radius: 1 })),
  "diss-4.2.4-EM": netMinimizer,
  "diss-4.3.25": gradientDescent,
  "diss-4.3.26": selectStationaryPoint,
  "diss-4.3.27": constrainedDescent,
  "diss-4.3.28": trustRegion,
  "diss-4.3.29": trustRegion,
};

/** Noise of gradients of all records, T times. */
function gradientConstants(a) {
  const sensitivity = (2 * lipschitzOf(a.loss)) / a.n;
  return { sensitivity, noise_scale: gaussianScale(sensitivity, a, a.n_iterations) };
}

/** The step sqrt(2/T)/||C||_2 of Frank and Wolfe, at most 1. */
const frankWolfeConstants = (a) => ({
  ...gradientConstants(a),
  step_size: Math.min(1, Math.sqrt(2 / a.n_iterations) / (2 * a.radius)),
});

/** Selections among vertices, whose scores move by 2 G max ||s||_1/n. */
function selectionConstants(a) {
  const longest = Math.max(...a.vertices.map(norm1));
  const diameter = Math.max(...a.vertices.flatMap((v) => a.vertices.map((w) => norm(minus(v, w)))));
  return {
    sensitivity: (2 * lipschitzOf(a.loss) * longest) / a.n,
    step_epsilon: selectionEpsilon(a, a.n_iterations),
    step_size: Math.min(1, Math.sqrt(2 / a.n_iterations) / diameter),
  };
}

/** Noise of T gradients and T Hessians, alike in proportion to their sensitivities. */
function secondOrderConstants(a) {
  const sensitivity = (2 * lipschitzOf(a.loss)) / a.n;
  const hessian_sensitivity = hessianChangeOf(a.loss) / a.n;
  const scale = (size) => gaussianScale(size, a, 2 * a.n_iterations);
  return {
    sensitivity,
    hessian_sensitivity,
    noise_scale: scale(sensitivity),
    hessian_noise_scale: scale(hessian_sensitivity),
  };
}

/** A third of mu^2 each for T gradients of the descent, and T + 1 of either kind of the test. */
function selectionOfPointConstants(a) {
  const { sensitivity, hessian_sensitivity } = secondOrderConstants(a);
  const scale = (size, count) => gaussianScale(size, a, 3 * count);
  return {
    sensitivity,
    hessian_sensitivity,
    descent_noise_scale: scale(sensitivity, a.n_iterations),
    gradient_noise_scale: scale(sensitivity, a.n_iterations + 1),
    hessian_noise_scale: scale(hessian_sensitivity, a.n_iterations + 1),
    step_size: 1 / smoothnessOf(a.loss),
    gradient_threshold: (3 / 4) * a.accuracy,
    curvature_threshold:
      ((1 + Math.SQRT1_2) / 2) * Math.sqrt(hessianLipschitzOf(a.loss) * a.accuracy),
  };
}

/** The steps of the proof of Theorem 4.3.3 at Phi = 1. */
function constrainedConstants(a) {
  const diameter = 2 * a.constraint.radius;
  const rho = hessianLipschitzOf(a.loss);
  return {
    ...secondOrderConstants(a),
    step_size: Math.min(1, a.accuracy / (2 * diameter ** 2 * smoothnessOf(a.loss))),
    curvature_step_size: Math.min(1, Math.sqrt(a.accuracy / rho) / (2 * diameter ** 3)),
    slope_threshold: a.accuracy / 2,
    curvature_threshold: Math.sqrt(rho * a.accuracy) / 2,
    cut: a.accuracy / (72 * diameter ** 3),
  };
}

function trustRegionConstants(a) {
  const rho = hessianLipschitzOf(a.loss);
  return {
    ...secondOrderConstants(a),
    radius: Math.sqrt(a.accuracy / rho),
    multiplier_threshold: Math.sqrt(a.accuracy * rho),
  };
}

const constants = {
  "diss-4.1.19": selectionConstants,
  "diss-4.2.22": selectionConstants,
  "diss-4.3.26": selectionOfPointConstants,
  "diss-4.3.27": constrainedConstants,
  "diss-4.3.28": trustRegionConstants,
  "diss-4.1.16": (a) => ({ ...gradientConstants(a), step_size: 1 / (2 * smoothnessOf(a.loss)) }),
  "diss-4.1.17": frankWolfeConstants,
  "diss-4.1.18": (a) => ({
    ...gradientConstants(a),
    step_size: 1 / (2 * smoothnessOf(a.loss) * (2 * a.radius) ** 2),
  }),
  "diss-4.2.20"(a) {
    const found = gradientConstants(a);
    return { ...found, step_size: 2 / (a.inverse_temperature * found.noise_scale ** 2) };
  },
  "diss-4.2.21": frankWolfeConstants,
  "diss-4.3.25": (a) => ({ ...gradientConstants(a), step_size: 1 / smoothnessOf(a.loss) }),
};

module.exports = { algorithms, constants, selectionConstants };
