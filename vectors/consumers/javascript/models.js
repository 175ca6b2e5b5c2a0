"use strict";
// Models with hidden variables: what gradient EM asks of a record.

const { apply, dot, each, gram, leastNorm, mean, minus, norm, plus, sum, times } =
  require("./linear-algebra.js");
const { softplus } = require("./special-functions.js");

const clamp = (x, limit) => Math.max(-limit, Math.min(limit, x));
const clampAll = (v, limit) => v.map((x) => clamp(x, limit));

const LARGEST = 1e300;
const largestOf = (v) => Math.max(...v.map(Math.abs));
const average = (numbers) => sum(numbers) / numbers.length;

/** Return log((e^a + e^b)/2). */
const logMean = (a, b) => Math.max(a, b) + softplus(-Math.abs(a - b)) - Math.LN2;

/** Cut entries to [-limit, limit]; what is not a number, as it overflowed before, counts as 0. */
const cutEntries = (v, limit) => v.map((x) => (Number.isNaN(x) ? 0 : clamp(x, limit)));

const split = (record) => [record.slice(0, -1), record[record.length - 1]];

/** Y = Z beta + V: records y. The posterior weight is 2w - 1 = tanh(<beta, y>/sigma^2). */
const GaussianMixture = ({ standard_deviation: sigma }) => ({
  mStepTerm: (y, beta) => times(Math.tanh(dot(beta, y) / sigma ** 2), y),
  maximiser(records, beta) {
    return mean(records.map((y) => this.mStepTerm(y, beta)));
  },
  gradient(y, beta) {
    return minus(this.mStepTerm(y, beta), beta);
  },
  truncatedGradient: (y, beta, limit) =>
    minus(times(Math.tanh(dot(beta, y) / sigma ** 2), clampAll(y, limit)), beta),
  infinitySensitivity: (limit) => 2 * limit,
  iterateBound: () => Infinity,
  basin: 1 / 4,
  objective(records, beta, given) {
    return average(records.map((y) =>
      dot(this.mStepTerm(y, given), beta) - (dot(y, y) + dot(beta, beta)) / 2));
  },
  logLikelihood: (y, beta) => logMean(-(norm(minus(y, beta)) ** 2) / (2 * sigma ** 2),
    -(norm(plus(y, beta)) ** 2) / (2 * sigma ** 2)),
  momentBound: (beta, radius) =>
    (Math.hypot(largestOf(beta), sigma) + largestOf(beta) + radius) ** 2,
});

/** Y = Z <beta, X> + V: records (x, y). */
const MixtureOfRegressions = ({ standard_deviation: sigma }) => ({
  /** Least squares of (2w - 1) y on x. */
  maximiser(records, beta) {
    const parts = records.map(split);
    const products = parts.map(([x, y]) => times(Math.tanh((y * dot(x, beta)) / sigma ** 2) * y, x));
    return leastNorm(gram(parts.map(([x]) => x), parts.length), mean(products));
  },
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
  basin: 1 / 32,
  objective: (records, beta, given) => average(records.map((record) => {
    const [x, y] = split(record);
    const fitted = dot(x, beta);
    return Math.tanh((y * dot(x, given)) / sigma ** 2) * y * fitted - (y ** 2 + fitted ** 2) / 2;
  })),
  logLikelihood(record, beta) {
    const [x, y] = split(record);
    const fitted = dot(x, beta);
    return logMean(-((y - fitted) ** 2) / (2 * sigma ** 2), -((y + fitted) ** 2) / (2 * sigma ** 2));
  },
  /** (2w - 1) y and <x, b> have one sign, and E x_j^2 <x, b>^2 = |b|^2 + 2 b_j^2. */
  momentBound(beta, radius) {
    const [size, largest] = [norm(beta), largestOf(beta)];
    return size ** 2 + 2 * largest ** 2 + sigma ** 2
      + (size + radius) ** 2 + 2 * (largest + radius) ** 2;
  },
});

/** Y = <beta, X> + V: records (x, y) with NaN for what is missing of x. */
const MissingCovariates = ({ standard_deviation: sigma, missing_probability: rate }) => {
  /**
   * What is known of a record: its parts, r = y - <beta, observed>, v, its imputed covariates m, and
   * the part of K beta for (1 - z).
   */
  function imputed(record, beta) {
    const [x, y] = split(record);
    const hidden = beta.map((b, j) => (Number.isNaN(x[j]) ? b : 0));
    const observed = x.map((xj) => (Number.isNaN(xj) ? 0 : xj));
    const variance = sigma ** 2 + dot(hidden, hidden);
    const residual = y - dot(beta, observed);
    const m = plus(observed, times(residual / variance, hidden));
    return { x, y, hidden, observed, residual, variance, mean: m, rest: times(sigma ** 2 / variance, hidden) };
  }
  /** E x x^T of a record: m m^T, and the covariance I - h h^T/v of what is missing. */
  function secondMoment({ x, hidden, variance, mean: m }) {
    const missing = x.map(Number.isNaN);
    return m.map((mi, i) => m.map((mj, j) => {
      const both = missing[i] && missing[j];
      return mi * mj + (both ? (i === j ? 1 : 0) - (hidden[i] * hidden[j]) / variance : 0);
    }));
  }
  /** The objective of an M-step is <cross, beta> - <beta, moment beta>/2. */
  function moments(records, given) {
    const known = records.map((record) => imputed(record, given));
    return {
      moment: each((...entries) => average(entries), ...known.map(secondMoment)),
      cross: mean(known.map(({ y, mean: m }) => times(y, m))),
    };
  }
  return {
    maximiser(records, beta) {
      const { moment, cross } = moments(records, beta);
      return leastNorm(moment, cross);
    },
    objective(records, beta, given) {
      const { moment, cross } = moments(records, given);
      return dot(cross, beta) - dot(beta, apply(moment, beta)) / 2;
    },
    /** y is normal about <beta, o> with variance v. */
    logLikelihood(record, beta) {
      const { residual, variance } = imputed(record, beta);
      return -(residual ** 2 / variance + Math.log(variance)) / 2;
    },
    momentBound(beta, radius) {
      const variance = dot(beta, beta) + sigma ** 2 + radius ** 2;
      const missing = (3 * variance ** 2) / (4 * sigma ** 2) + (largestOf(beta) + radius) ** 2;
      return (1 - rate) * (variance + 2 * radius ** 2) + rate * missing;
    },
    basin: 1 / 4,
    /** x_j r sigma^2/v, or beta_j (r^2/v - 1) sigma^2/v: r^2/v is cut where it overflows. */
    gradient(record, beta) {
      const { hidden, observed, residual: r, variance } = imputed(record, beta);
      const surplus = Math.min(LARGEST, (r / variance) * r) - 1;
      const shrinkage = sigma ** 2 / variance;
      return plus(times(shrinkage * r, observed), times(shrinkage * surplus, hidden));
    },
    truncatedGradient(record, beta, limit) {
      const { y, mean: m, rest } = imputed(record, beta);
      const factor = clamp(y, limit) - clamp(dot(m, beta), limit);
      return minus(times(factor, clampAll(m, limit)), rest);
    },
    infinitySensitivity: (limit) => 6 * limit ** 2,
    iterateBound: (limit) => 4 * limit ** 2,
  };
};

const MODELS = { GaussianMixture, MixtureOfRegressions, MissingCovariates };

/** Return a model whose gradients are finite for every record. */
function modelOf(object) {
  const model = MODELS[object.type](object);
  return { ...model, gradient: (record, beta) => cutEntries(model.gradient(record, beta), LARGEST) };
}

module.exports = { modelOf, clamp, clampAll, cutEntries };
