"use strict";
// Losses of one record at a point, by their types in the inputs.

const { dot, mean, minus, norm, outer, plus, times } = require("./linear-algebra.js");
const { logistic, normalCdf, softplus } = require("./special-functions.js");
const { clamp, clampAll } = require("./models.js");

const density = (s) => Math.exp((-s * s) / 2) / Math.sqrt(2 * Math.PI);
const falling = (s, y) => logistic(-y * s); // 1/(1 + e^(y s))

/** sigma and its derivative, of generalised linear models. */
const LINKS = {
  sigmoid: { mean: logistic, slope: (s) => logistic(s) * logistic(-s) },
  probit: { mean: normalCdf, slope: density },
  identity: { mean: (s) => clamp(s, 1), slope: () => 1 },
};

/** phi(s, y) of a score s = <a, x>, with its first and second derivative in s. */
const SCORES = {
  Logistic: () => ({
    value: (s, y) => softplus(-y * s),
    slope: (s, y) => -y * falling(s, y),
    curvature: (s) => logistic(s) * logistic(-s),
  }),
  Sigmoid: () => ({
    value: falling,
    slope: (s, y) => -y * falling(s, y) * falling(-s, y),
    curvature: (s, y) => falling(s, y) * falling(-s, y) * (1 - 2 * falling(s, y)),
  }),
  Huber: ({ threshold: c }) => ({
    value: (s, y) => (Math.abs(s - y) <= c ? (s - y) ** 2 / 2 : c * Math.abs(s - y) - c * c / 2),
    slope: (s, y) => clamp(s - y, c),
  }),
  Linear: () => ({ value: (s, y) => y * s, slope: (s, y) => y }),
  Cosine: () => ({
    value: (s, y) => Math.cos(s + y) / 2,
    slope: (s, y) => -Math.sin(s + y) / 2,
    curvature: (s, y) => -Math.cos(s + y) / 2,
  }),
  SquaredError: () => ({ value: (s, y) => (s - y) ** 2, slope: (s, y) => 2 * (s - y) }),
  Biweight: ({ threshold: c }) => {
    const rest = (r) => Math.max(0, 1 - (r / c) ** 2);
    return {
      value: (s, y) => (c * c / 6) * (1 - rest(s - y) ** 3),
      slope: (s, y) => (s - y) * rest(s - y) ** 2,
    };
  },
  GeneralizedLinear: ({ link }) => {
    const { mean: sigma, slope } = LINKS[link];
    return {
      value: (s, y) => link !== "identity" ? (sigma(s) - y) ** 2
        : (sigma(s) - y) ** 2 + 2 * (sigma(s) - y) * (s - sigma(s)),
      slope: (s, y) => 2 * (sigma(s) - y) * slope(s),
    };
  },
};

/** Return a feature vector, scaled down to the declared l2 norm or cut entry by entry. */
function bounded(a, { feature_bound: bound, feature_norm: kind }) {
  if (kind === "l-infinity") return clampAll(a, bound);
  const size = norm(a);
  return size > bound ? times(bound / size, a) : a;
}

function linearModel(object) {
  const phi = SCORES[object.type](object);
  return {
    /** Features are bounded once; values and gradients are those of what they are given. */
    records: ({ features, labels }) =>
      features.map((a, i) => ({ a: bounded(a, object), y: labels[i] })),
    value: ({ a, y }, x) => phi.value(dot(a, x), y),
    gradient: ({ a, y }, x) => times(phi.slope(dot(a, x), y), a),
    hessian: ({ a, y }, x) => outer(times(phi.curvature(dot(a, x), y), a), a),
  };
}

const squaredDistance = () => ({
  records: (data) => data,
  value: (a, x) => norm(minus(x, a)) ** 2,
  gradient: (a, x) => times(2, minus(x, a)),
});

function ridgeRegularized({ loss: inner, strength }) {
  const loss = lossOf(inner);
  return {
    records: loss.records,
    value: (record, x) => loss.value(record, x) + (strength / 2) * dot(x, x),
    gradient: (record, x) => plus(loss.gradient(record, x), times(strength, x)),
  };
}

function lossOf(object) {
  if (object.type === "SquaredDistance") return squaredDistance(object);
  if (object.type === "RidgeRegularized") return ridgeRegularized(object);
  return linearModel(object);
}

/** Return the mean gradient of some records. */
const meanGradient = (loss, records, x) => mean(records.map((record) => loss.gradient(record, x)));

/** Return the largest value of a function of a score that falls on both sides of its maximum. */
function largest(f) {
  let [low, high] = [-2, 2];
  for (let step = 0; step < 100; step++) {
    const [one, two] = [low + (high - low) / 3, high - (high - low) / 3];
    if (f(one) > f(two)) high = two;
    else low = one;
  }
  return f(low);
}

/**
 * The largest first and second derivative of (sigma(s) - y)^2, at the label 0 (by symmetry, at 1):
 * 2 sigma sigma' and 2 (sigma'^2 + sigma sigma'').
 */
const PROBIT = {
  slope: largest((s) => 2 * normalCdf(s) * density(s)),
  curvature: largest((s) => 2 * density(s) * (density(s) - s * normalCdf(s))),
};
const SIGMOID_CURVATURE = largest((s) => {
  const p = logistic(s);
  return 2 * p * p * (1 - p) * (2 - 3 * p);
});

/**
 * Largest first, second and third derivative in the score; times the feature bound, its square
 * and its cube.
 */
const BOUNDS = {
  Logistic: () => ({ slope: 1, curvature: 1 / 4, change: 1 / (6 * Math.sqrt(3)), convex: true }),
  Sigmoid: () => ({ slope: 1 / 4, curvature: 1 / (6 * Math.sqrt(3)), change: 1 / 8 }),
  Cosine: () => ({ slope: 1 / 2, curvature: 1 / 2, change: 1 / 2 }),
  Linear: ({ declared_curvature: curvature }) => ({ slope: 1, curvature, convex: true }),
  Huber: ({ threshold: slope }) => ({ slope, curvature: 1, convex: true }),
  SquaredError: () => ({ slope: Infinity, curvature: 2, convex: true }),
  Biweight: ({ threshold: c }) => ({ slope: (c / Math.sqrt(5)) * (4 / 5) ** 2, curvature: 1 }),
  GeneralizedLinear: ({ link }) => ({
    sigmoid: { slope: 8 / 27, curvature: SIGMOID_CURVATURE },
    probit: PROBIT,
    identity: { slope: 4, curvature: 2, convex: true },
  })[link],
};
const boundsOf = (object) => BOUNDS[object.type](object);
const lipschitzOf = (object) => boundsOf(object).slope * object.feature_bound;
const smoothnessOf = (object) => boundsOf(object).curvature * object.feature_bound ** 2;

/** How fast Hessians change. */
const hessianLipschitzOf = (object) => boundsOf(object).change * object.feature_bound ** 3;

/** How much two records' Hessians c a a^T differ: those of a convex loss have c >= 0. */
const hessianChangeOf = (object) =>
  (boundsOf(object).convex ? Math.SQRT2 : 2) * smoothnessOf(object);

module.exports = {
  boundsOf, lossOf, meanGradient, lipschitzOf, smoothnessOf, hessianLipschitzOf, hessianChangeOf,
};
