"use strict";
// Models with hidden variables: what gradient EM asks of a record.

const { dot, minus, plus, times } = require("./linear-algebra.js");

const clamp = (x, limit) => Math.max(-limit, Math.min(limit, x));
const clampAll = (v, limit) => v.map((x) => clamp(x, limit));

const LARGEST = 1e300;

/** Bound what has overflowed: infinities count as 1e300, what is not a number as 0. */
const finite = (v) => v.map((x) => (Number.isNaN(x) ? 0 : clamp(x, LARGEST)));

const split = (record) => [record.slice(0, -1), record[record.length - 1]];

/** Y = Z beta + V: records y. The posterior weight is 2w - 1 = tanh(<beta, y>/sigma^2). */
const GaussianMixture = ({ standard_deviation: sigma }) => ({
  mStepTerm: (y, beta) => times(Math.tanh(dot(beta, y) / sigma ** 2), y),
  gradient: (y, beta) => minus(times(Math.tanh(dot(beta, y) / sigma ** 2), y), beta),
  truncatedGradient: (y, beta, limit) =>
    minus(times(Math.tanh(dot(beta, y) / sigma ** 2), clampAll(y, limit)), beta),
  infinitySensitivity: (limit) => 2 * limit,
  iterateBound: () => Infinity,
});

/** Y = Z <beta, X> + V: records (x, y). */
const MixtureOfRegressions = ({ standard_deviation: sigma }) => ({
  gradient(record, beta) {
    const [x, y] = split(record);
    const fitted = dot(x, beta);
    return times(Math.tanh((y * fitted) / sigma ** 2) * y - fitted, x);
  },
  truncatedGradient(record, beta, limit) {
    const [x, y] = split(record);
    const fitted = dot(x, beta);
    const weight = Math.tanh((y * fitted) / sigma ** 2);
    return times(weight * clamp(y, limit) - clamp(fitted, limit), clampAll(x, limit));
  },
  infinitySensitivity: (limit) => 2 * limit ** 2,
  iterateBound: () => Infinity,
});

/** Y = <beta, X> + V: records (x, y) with NaN for what is missing of x. */
const MissingCovariates = ({ standard_deviation: sigma }) => {
  /** What is known of a record: y, its imputed covariates, and the part of K beta for (1 - z). */
  function imputed(record, beta) {
    const [x, y] = split(record);
    const hidden = beta.map((b, j) => (Number.isNaN(x[j]) ? b : 0));
    const observed = x.map((xj) => (Number.isNaN(xj) ? 0 : xj));
    const variance = sigma ** 2 + dot(hidden, hidden);
    const mean = plus(observed, times((y - dot(beta, observed)) / variance, hidden));
    return { y, mean, rest: times(sigma ** 2 / variance, hidden) };
  }
  return {
    gradient(record, beta) {
      const { y, mean, rest } = imputed(record, beta);
      return minus(times(y - dot(mean, beta), mean), rest);
    },
    truncatedGradient(record, beta, limit) {
      const { y, mean, rest } = imputed(record, beta);
      const factor = clamp(y, limit) - clamp(dot(mean, beta), limit);
      return minus(times(factor, clampAll(mean, limit)), rest);
    },
    infinitySensitivity: (limit) => 6 * limit ** 2,
    iterateBound: (limit) => 4 * limit ** 2,
  };
};

const MODELS = { GaussianMixture, MixtureOfRegressions, MissingCovariates };

/** Return a model whose gradients are finite for every record. */
function modelOf(object) {
  const model = MODELS[object.type](object);
  return { ...model, gradient: (record, beta) => finite(model.gradient(record, beta)) };
}

module.exports = { modelOf, clamp, clampAll };
