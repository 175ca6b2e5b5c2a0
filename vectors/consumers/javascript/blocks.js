"use strict";
// Building blocks by their names in the vectors. What is computed is elsewhere.

const { basis, iteration } = require("./bernstein.js");
const { dawidSkene, vote } = require("./crowdsourcing.js");
const { clipped, roundingFactor } = require("./em.js");
const { mean, minus, multiply, range, times } = require("./linear-algebra.js");
const { lossOf } = require("./losses.js");
const {
  cappedWeights, graphicalLasso, positivePart, projectOnFantope, topEigenvectors,
} = require("./matrices.js");
const { cutEntries, modelOf } = require("./models.js");
const { keepLargest, mirrorMapOf, regularizerOf, setOf, soft } = require("./sets.js");
const { solveInHalfBall, solveTrustRegion } = require("./trust-region.js");
const { robustMean, smoothedTruncation, truncationBound } = require("./truncation.js");

/** Return [from, to] of every block: the last one takes what is left if it is to be used. */
function disjointBlocks({ n, count, whole }) {
  const size = Math.floor(n / count);
  return range(count).map((t) => [t * size, whole && t === count - 1 ? n : (t + 1) * size]);
}

function proximalStep({ x, gradient, step_size: step, regularizer, constraint }) {
  const point = regularizerOf(regularizer).prox(minus(x, times(step, gradient)), step);
  return constraint ? setOf(constraint).project(point) : point;
}

function lossGradients({ loss: object, features, labels, x }) {
  const loss = lossOf(object);
  return features.map((a, i) => loss.gradient({ a, y: labels[i] }, x)); // not bounded here
}

function modelGradients({ model: object, data, beta }) {
  const model = modelOf(object);
  return data.map((record) => model.gradient(record, beta));
}

function truncatedModelGradients({ model: object, data, beta, threshold }) {
  const model = modelOf(object);
  return data.map((record) => model.truncatedGradient(record, beta, threshold));
}

const truncations = ({ x, scale, precision }) =>
  x.map((value) => smoothedTruncation(value, scale, precision));

const blocks = {
  "bernstein-basis": ({ degree, points }) => points.map((x) => basis(degree, x)),
  "iterated-bernstein-basis": ({ degree, order, points }) =>
    multiply(points.map((x) => basis(degree, x)), iteration(degree, order)),
  "capped-weights": ({ values, total }) => cappedWeights(values, total),
  "clip-entries": ({ values, threshold }) => cutEntries(values, threshold),
  "clip-rows": ({ vectors, threshold }) => vectors.map((row) => clipped(row, threshold)),
  "dawid-skene": dawidSkene,
  "disjoint-blocks": disjointBlocks,
  "fantope-projection": ({ matrix, rank }) => projectOnFantope(matrix, rank),
  "gradient-step": ({ object, x, gradient, smoothness }) =>
    mirrorMapOf(object).gradientStep(x, gradient, smoothness),
  "graphical-lasso": ({ second_moment, penalty }) => graphicalLasso(second_moment, penalty),
  "half-ball": ({ hessian, center, radius, direction, most }) =>
    solveInHalfBall(hessian, center, radius, direction, most),
  "hard-threshold": ({ vector, sparsity }) => keepLargest(vector, sparsity),
  "linear-minimiser": ({ object, gradient }) => setOf(object).linearMinimizer(gradient),
  "loss-gradients": lossGradients,
  "majority-vote": ({ answers }) => vote(answers),
  mean: ({ vectors }) => mean(vectors),
  "mirror-step": ({ object, z, gradient, step_size, weight }) =>
    mirrorMapOf(object).mirrorStep(z, gradient, step_size, weight),
  "model-gradients": modelGradients,
  "model-gradients-extremes": modelGradients,
  "model-maximiser": ({ model, data, given }) => modelOf(model).maximiser(data, given),
  "positive-part": ({ matrix }) => positivePart(matrix),
  "principal-subspace": ({ matrix, n_components }) => topEigenvectors(matrix, n_components),
  projection: ({ object, x }) => setOf(object).project(x),
  "proximal-step": proximalStep,
  "rounding-factor": ({ point, sensitivity }) => roundingFactor(point, sensitivity),
  "smoothed-truncation": truncations,
  "smoothed-truncation-extremes": truncations,
  "soft-threshold": ({ point, threshold }) => soft(point, threshold),
  "truncated-mean": ({ values, scale, precision }) => robustMean(values, scale, precision),
  "truncated-model-gradients": truncatedModelGradients,
  "truncation-bound": ({ scale, precision }) => truncationBound(scale, precision),
  "trust-region": ({ gradient, hessian, radius }) => solveTrustRegion(gradient, hessian, radius),
};

module.exports = { blocks };
