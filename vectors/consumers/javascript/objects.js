"use strict";
// All that the vectors ask of an object: a set, a loss, a model, a mirror map, a regulariser.

const { mean, plus, range, dot, norm, norm1, minus, eigen, times, leastNorm } =
  require("./linear-algebra.js");
const {
  boundsOf, hessianChangeOf, hessianLipschitzOf, lipschitzOf, lossOf, meanGradient, smoothnessOf,
} = require("./losses.js");
const { modelOf } = require("./models.js");
const pairwise = require("./pairwise.js");
const { mirrorMapOf, regularizerOf, setOf } = require("./sets.js");

const SLACK = 1e-12; // a boundary belongs to its set, whatever rounding makes of a point

/** Whether a matrix that is given row by row is symmetric, positive semidefinite and short. */
function inSemidefiniteBall(x, radius) {
  const d = Math.round(Math.sqrt(x.length));
  const rows = range(d).map((i) => x.slice(i * d, (i + 1) * d));
  const slack = SLACK * radius;
  const symmetric = rows.every((row, i) => row.every((v, j) => Math.abs(v - rows[j][i]) <= slack));
  return symmetric && norm(x) <= radius + slack && Math.min(...eigen(rows).values) >= -slack;
}

const CONTAINS = {
  L2Ball: ({ radius }, x) => norm(x) <= radius * (1 + SLACK),
  L1Ball: ({ radius }, x) => norm1(x) <= radius * (1 + SLACK),
  SparseVectors: ({ sparsity }, x) => x.filter((v) => v !== 0).length <= sparsity,
  PositiveSemidefiniteBall: ({ radius }, x) => inSemidefiniteBall(x, radius),
  Polytope: ({ points }, x) => inHull(points, x),
};

function subsets(items, most) {
  if (items.length === 0 || most === 0) return [[]];
  const [first, ...rest] = items;
  return [...subsets(rest, most), ...subsets(rest, most - 1).map((found) => [first, ...found])];
}

/** Whether a point is a convex combination: of one more than it has coordinates, if of any. */
function inHull(points, x) {
  const slack = 1e-9 * Math.max(1, ...points.flat().map(Math.abs));
  return subsets(points, x.length + 1).filter((some) => some.length > 0).some((some) => {
    const lifted = some.map((point) => [...point, 1]); // the weights add up to 1
    const weights = leastNorm(lifted.map((v) => lifted.map((w) => dot(v, w))),
      lifted.map((v) => dot(v, [...x, 1])));
    const reached = lifted.map((v, i) => times(weights[i], v)).reduce(plus);
    return Math.min(...weights) >= -1e-9 && norm(minus(reached, [...x, 1])) <= slack;
  });
}

function ball({ ball: object, x }) {
  return {
    convex: object.type !== "SparseVectors",
    largest_norm: object.radius ?? Infinity,
    contains: CONTAINS[object.type](object, x),
    project: setOf(object).project(x),
  };
}

/** What is linear on the vertices of a set. */
function hull({ hull: object, direction, x, index }) {
  const set = setOf(object);
  const vertices = set.vertices(direction.length);
  const best = set.linearMinimizer(direction);
  return {
    contains: CONTAINS[object.type](object, x),
    vertices,
    inner_products: vertices.map((v) => dot(v, direction)),
    inner_differences: vertices.map((v) => dot(minus(v, vertices[0]), direction)),
    vertex: vertices[index],
    linear_minimizer: best,
    frank_wolfe_gap: dot(minus(x, best), direction),
  };
}

const meanHessian = (loss, records, x) => range(x.length).map((i) =>
  mean(records.map((record) => loss.hessian(record, x)[i])));

function loss({ loss: object, features, labels, x, some }) {
  const f = lossOf(object);
  const records = f.records({ features, labels });
  const few = some.map((i) => records[i]);
  const { slope, curvature, change, convex = false } = boundsOf(object);
  const found = {
    features: records.map(({ a }) => a),
    n: records.length,
    values: records.map((record) => f.value(record, x)),
    gradients: records.map((record) => f.gradient(record, x)),
    gradient: meanGradient(f, records, x),
    gradient_of_some: meanGradient(f, few, x),
    convex,
    slope_bound: slope,
    curvature_bound: curvature,
    lipschitz: lipschitzOf(object),
    smoothness: smoothnessOf(object),
  };
  if (change === undefined) return found; // no Hessians
  return {
    ...found,
    hessian: meanHessian(f, records, x),
    hessian_of_some: meanHessian(f, few, x),
    hessian_lipschitz: hessianLipschitzOf(object),
    hessian_change: hessianChangeOf(object),
  };
}

function lossOfVectors({ loss: object, data, x }) {
  const f = lossOf(object);
  const records = f.records(data);
  return {
    n: records.length,
    values: records.map((record) => f.value(record, x)),
    gradients: records.map((record) => f.gradient(record, x)),
  };
}

function sparseLoss({ loss: object, features, labels, x }) {
  const f = lossOf(object);
  const records = f.records({ features, labels });
  return { features: records.map(({ a }) => a), gradient: meanGradient(f, records, x) };
}

function pairLoss({ loss: object, data, w, index, others, radius }) {
  const f = pairwise.lossOf(object);
  const records = f.records(data);
  const { slope, curvature, convexity } = pairwise.boundsOf(object, radius);
  return {
    n: records.length,
    features: records.map((z) => z.x ?? z),
    gradient: pairwise.pairGradient(f, w, records[index], others.map((j) => records[j])),
    smoothness: curvature,
    strong_convexity: convexity,
    lipschitz: slope,
  };
}

function latentModel({ model: object, data, beta, given, threshold, radius }) {
  const model = modelOf(object);
  return {
    basin: model.basin,
    gradients: data.map((record) => model.gradient(record, beta)),
    truncated_gradients: data.map((record) => model.truncatedGradient(record, beta, threshold)),
    truncated_sensitivity: model.infinitySensitivity(threshold),
    iterate_bound: model.iterateBound(threshold),
    objective: model.objective(data, beta, given),
    maximiser: model.maximiser(data, given),
    log_likelihood: mean(data.map((record) => [model.logLikelihood(record, beta)]))[0],
    moment_bound: model.momentBound(beta, radius),
  };
}

/** `size` is the step size of the mirror step, and 1/L of the gradient step. */
function mirrorMap({ mirror, x, z, gradient, size, weight }) {
  const map = mirrorMapOf(mirror);
  return {
    divergence: map.value(x) - map.value(z) - dot(map.gradient(z), minus(x, z)),
    mirror_step: map.mirrorStep(z, gradient, size, weight),
    gradient_step: map.gradientStep(x, gradient, 1 / size),
  };
}

function regularizer({ regularizer: object, x, step_size: step }) {
  const r = regularizerOf(object);
  return { value: r.value(x), prox: r.prox(x, step) };
}

const objects = {
  ball,
  "l1-vertices": hull,
  polytope: ({ points, ...rest }) => hull({ hull: { type: "Polytope", points }, ...rest }),
  loss,
  "loss-of-vectors": lossOfVectors,
  "sparse-loss": sparseLoss,
  "pair-loss": pairLoss,
  "latent-model": latentModel,
  "mirror-map": mirrorMap,
  regularizer,
};

module.exports = { objects };
