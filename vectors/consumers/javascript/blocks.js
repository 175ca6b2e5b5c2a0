"use strict";
// Building blocks by their names in the vectors. What is computed is elsewhere.

const { basis, coefficientsOf, iteration, polynomial, withRidge } = require("./bernstein.js");
const { dawidSkene, vote } = require("./crowdsourcing.js");
const { clipped, roundingFactor } = require("./em.js");
const {
  apply, dot, mean, minus, multiply, nested, norm, range, shapeOf, sum, times, transpose,
} = require("./linear-algebra.js");
const { lossOf } = require("./losses.js");
const {
  cappedWeights, dualityGap, graphicalLasso, graphicalLassoGap, penalisedProjection, pivotedBasis,
  positivePart, projectOnFantope, topEigenvectors,
} = require("./matrices.js");
const { cutEntries, modelOf } = require("./models.js");
const { objects } = require("./objects.js");
const { plans } = require("./plans.js");
const { keepLargest, mirrorMapOf, regularizerOf, setOf, soft } = require("./sets.js");
const { gaussRule } = require("./special-functions.js");
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

function halfBall({ hessian, center, radius, direction, most }) {
  return solveInHalfBall(hessian, center, radius, direction, most);
}

function trustRegionValue({ gradient, hessian, radius }) {
  const { step, multiplier } = solveTrustRegion(gradient, hessian, radius);
  const value = dot(gradient, step) + dot(step, apply(hessian, step)) / 2;
  return { value, length: norm(step), multiplier };
}

/** Return k - ||V^T W||^2 of two orthonormal bases, as columns. */
function sinThetaSquared({ first, second }) {
  const products = multiply(transpose(first), second).flat();
  return first[0].length - sum(products.map((x) => x * x));
}

/** Return what is asked of the polynomial through values on the grid. */
function bernsteinPolynomial({ values, order, points, strength }) {
  const shape = shapeOf(values);
  const [k, p] = [shape[0] - 1, shape.length];
  const flat = values.flat(Infinity);
  const coefficients = coefficientsOf(flat, k, p, order);
  const { value } = polynomial(flat, k, p, order, 0);
  return {
    degree: k,
    dimension: p,
    coefficients: nested(coefficients, shape),
    values: points.map(value),
    with_ridge: nested(withRidge(coefficients, k, p, strength), shape.map((size) => size + 1)),
  };
}

const clipRows = (vectors, threshold) => vectors.map((row) => clipped(row, threshold));

const blocks = {
  ...objects,
  ...plans,
  "bernstein-basis": ({ degree, points }) => points.map((x) => basis(degree, x)),
  "iterated-bernstein-basis": ({ degree, order, points }) =>
    multiply(points.map((x) => basis(degree, x)), iteration(degree, order)),
  "bernstein-iteration": ({ degree, order }) => iteration(degree, order),
  "bernstein-polynomial": bernsteinPolynomial,
  "capped-weights": ({ values, total }) => cappedWeights(values, total),
  "capped-weights-ends": ({ values, total }) => cappedWeights(values, total),
  "clip-entries": ({ values, threshold }) => cutEntries(values, threshold),
  "clip-rows": ({ vectors, threshold }) => clipRows(vectors, threshold),
  "clip-rows-mixed": ({ vectors, threshold }) => clipRows(vectors, threshold),
  "clip-sparse-rows": ({ features, threshold }) => clipRows(features, threshold),
  "dawid-skene": dawidSkene,
  "disjoint-blocks": disjointBlocks,
  "duality-gap": dualityGap,
  "fantope-projection": ({ matrix, rank }) => projectOnFantope(matrix, rank),
  "gradient-step": ({ object, x, gradient, smoothness }) =>
    mirrorMapOf(object).gradientStep(x, gradient, smoothness),
  "graphical-lasso": ({ second_moment, penalty }) => {
    const theta = graphicalLasso(second_moment, penalty);
    return { theta, nonzero: theta.flat().filter((x) => x !== 0).length };
  },
  "graphical-lasso-gap": graphicalLassoGap,
  "graphical-lasso-scales": ({ second_moment, penalty }) => graphicalLasso(second_moment, penalty),
  "half-ball": halfBall,
  "half-ball-cases": halfBall,
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
  "penalised-projection": ({ matrix, rank, penalty }) =>
    penalisedProjection(matrix, rank, penalty),
  "pivoted-basis": ({ basis: columns, count }) =>
    transpose(pivotedBasis(transpose(columns)).slice(0, count)),
  "positive-part": ({ matrix }) => positivePart(matrix),
  "positive-part-blocks": ({ matrix }) => positivePart(matrix),
  "principal-subspace": ({ matrix, n_components }) => topEigenvectors(matrix, n_components),
  projection: ({ object, x }) => setOf(object).project(x),
  "proximal-step": proximalStep,
  quadrature: ({ degree }) => gaussRule(degree),
  "rounding-factor": ({ point, sensitivity }) => roundingFactor(point, sensitivity),
  "smoothed-truncation": truncations,
  "smoothed-truncation-extremes": truncations,
  "sin-theta-squared": sinThetaSquared,
  "soft-threshold": ({ point, threshold }) => soft(point, threshold),
  "subspace-ties": ({ matrix, n_components }) => topEigenvectors(matrix, n_components),
  "truncated-mean": ({ values, scale, precision }) => robustMean(values, scale, precision),
  "truncated-model-gradients": truncatedModelGradients,
  "truncation-bound": ({ scale, precision }) => truncationBound(scale, precision),
  "trust-region": ({ gradient, hessian, radius }) => solveTrustRegion(gradient, hessian, radius),
  "trust-region-value": trustRegionValue,
};

module.exports = { blocks };
