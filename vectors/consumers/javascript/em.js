"use strict";
// Gradient EM and its private forms.

const { mean, norm, plus, spacing, times, zeros } = require("./linear-algebra.js");
const { gaussianScale, peelingScale, zcdpOf } = require("./accounting.js");
const { modelOf, clampAll } = require("./models.js");
const { HIGHEST, robustMean, smoothedTruncation } = require("./truncation.js");

/** Return by how much claim and noise grow, as beta plus a step is rounded. */
function roundingFactor(beta, sensitivity) {
  const added = (2 * spacing(Math.max(...beta.map(Math.abs)))) / sensitivity;
  return added > 1e-6 ? 1 + added : 1;
}

/** Scale a vector down to norm at most the threshold. */
function clipped(v, threshold) {
  const factor = Math.max(1, norm(v) / threshold);
  return v.map((x) => x / factor);
}

/** Return the t-th of several disjoint blocks of consecutive records; the rest is not used. */
function block(data, t, count) {
  const size = Math.floor(data.length / count);
  return data.slice(t * size, (t + 1) * size);
}

/** Wang et al. 2020, Algorithm 1. */
function clippedGradientEm(a, ledger) {
  const model = modelOf(a.model);
  let beta = a.initial;
  for (let t = 0; t < a.n_iterations; t++) {
    const gradients = a.data.map((y) => clipped(model.gradient(y, beta), a.clipping_threshold));
    const noisy = ledger.gaussian(mean(gradients), a.constants.sensitivity, a.constants.noise_scale);
    beta = plus(beta, times(a.step_size, noisy));
  }
  return beta;
}

/** Wang et al. 2020, Algorithm 2, on the records that each step reads. */
function robustGradientEm(a, ledger, records) {
  const model = modelOf(a.model);
  const { truncation_scale: s, precision, sensitivity, noise_scale } = a.constants;
  let beta = a.initial;
  for (let t = 0; t < a.n_iterations; t++) {
    const gradients = records(t).map((y) => model.gradient(y, beta));
    const noisy = ledger.gaussian(robustMean(gradients, s, precision), sensitivity, noise_scale);
    beta = plus(beta, times(a.step_size, noisy));
  }
  return beta;
}

const splitGradientEm = (a, ledger) =>
  robustGradientEm(a, ledger, (t) => block(a.data, t, a.n_iterations));

const fullDataGradientEm = (a, ledger) => robustGradientEm(a, ledger, () => a.data);

/** Wang 2020, Algorithm 7.2.57: the M-step itself is a mean. */
function privateEm(a, ledger) {
  const model = modelOf(a.model);
  const { truncation_scale: s, precision, sensitivity, noise_scale } = a.constants;
  let beta = a.initial;
  for (let t = 0; t < a.n_iterations; t++) {
    const terms = a.data.map((y) => model.mStepTerm(y, beta));
    beta = ledger.gaussian(robustMean(terms, s, precision), sensitivity, noise_scale);
  }
  return beta;
}

/** Every user of a block adds noise to the truncated gradient of their own record. */
function localGradientEm(a, ledger) {
  const model = modelOf(a.model);
  const { truncation_scale: s, precision, sensitivity, noise_scale } = a.constants;
  let beta = a.initial;
  for (let t = 0; t < a.n_iterations; t++) {
    const said = block(a.data, t, a.n_iterations).map((y) =>
      model.gradient(y, beta).map((x) => smoothedTruncation(x, s, precision)));
    const noisy = ledger.gaussian(said, sensitivity, noise_scale);
    beta = plus(beta, times(a.step_size, mean(noisy)));
  }
  return beta;
}

/** Return a step of gradient EM with truncated records: beta + eta f_T. */
function halfStep(model, records, beta, a) {
  const gradients = records.map((y) => model.truncatedGradient(y, beta, a.truncation_level));
  return plus(beta, times(a.step_size ?? 1, mean(gradients)));
}

/** Zhang and Zhang 2021, Algorithm 2. */
function sparseEm(a, ledger, model = modelOf(a.model)) {
  const bound = model.iterateBound(a.truncation_level);
  let beta = clampAll(a.initial, bound);
  for (let t = 0; t < a.n_iterations; t++) {
    const half = halfStep(model, block(a.data, t, a.n_iterations), beta, a);
    const { sensitivity, noise_scale } = a.constants;
    const factor = roundingFactor(beta, sensitivity);
    const [indices, numbers] =
      ledger.peeling(half, a.sparsity, factor * sensitivity, factor * noise_scale);
    beta = zeros(half.length);
    indices.forEach((j, i) => { beta[j] = numbers[i]; });
    beta = clampAll(beta, bound);
  }
  return beta;
}

/** Zhang and Zhang 2021, Algorithm 4. */
function denseEm(a, ledger, model = modelOf(a.model)) {
  const bound = model.iterateBound(a.truncation_level);
  let beta = clampAll(a.initial, bound);
  for (let t = 0; t < a.n_iterations; t++) {
    const half = halfStep(model, block(a.data, t, a.n_iterations), beta, a);
    const { sensitivity, noise_scale } = a.constants;
    const factor = roundingFactor(beta, sensitivity);
    beta = ledger.gaussian(half, factor * sensitivity, factor * noise_scale);
    beta = clampAll(beta, bound);
  }
  return beta;
}

const withModel = (algorithm, type) => (a, ledger) =>
  algorithm(a, ledger, modelOf({ type, standard_deviation: a.standard_deviation }));

const algorithms = {
  "wang-1": clippedGradientEm,
  "wang-2": splitGradientEm,
  "diss-7.2.56": fullDataGradientEm,
  "diss-7.2.57": privateEm,
  "wang-ldp-em": localGradientEm,
  "zhang-2": (a, ledger) => sparseEm(a, ledger),
  "zhang-3": withModel(sparseEm, "GaussianMixture"),
  "zhang-4": (a, ledger) => denseEm(a, ledger),
  "zhang-5": withModel(sparseEm, "MixtureOfRegressions"),
  "zhang-6": withModel(sparseEm, "MissingCovariates"),
  "zhang-7": withModel(denseEm, "MixtureOfRegressions"),
  "zhang-8": withModel(denseEm, "MissingCovariates"),
};

/** The constants of wang-2: one release per block, of m = floor(n/T) records. */
function splitConstants(a) {
  const m = Math.floor(a.n / a.n_iterations);
  const log = Math.log(a.dimension / a.failure_probability);
  const tilde = Math.sqrt(zcdpOf(a.epsilon, a.delta));
  const scale = Math.sqrt(m * a.second_moment * tilde) / (2 * log);
  return robustConstants(a, scale, Math.sqrt(log), m, 1);
}

/** Every user releases alone: m^(1/4) for sqrt(m) in s, and one record. */
function localConstants(a) {
  const m = Math.floor(a.n / a.n_iterations);
  const log = Math.log(a.dimension / a.failure_probability);
  const tilde = Math.sqrt(zcdpOf(a.epsilon, a.delta));
  const scale = (m ** 0.25 * Math.sqrt(a.second_moment * tilde)) / (2 * log);
  return robustConstants(a, scale, Math.sqrt(log), 1, 1);
}

/** How much a record moves an entry of a half step. */
function halfStepSensitivity(a) {
  const m = Math.floor(a.n / a.n_iterations);
  return ((a.step_size ?? 1) * modelOf(a.model).infinitySensitivity(a.truncation_level)) / m;
}

function sparseConstants(a) {
  const sensitivity = halfStepSensitivity(a);
  return { sensitivity, noise_scale: peelingScale(sensitivity, a) };
}

function denseConstants(a) {
  const sensitivity = Math.sqrt(a.dimension) * halfStepSensitivity(a);
  return { sensitivity, noise_scale: gaussianScale(sensitivity, a) };
}

/** Those of the dissertation: all n records in each of T steps. */
function fullDataConstants(a) {
  const log = Math.log(a.dimension / a.failure_probability);
  return robustConstants(a, Math.sqrt((a.n * a.second_moment) / (2 * log)), log, a.n, a.n_iterations);
}

function robustConstants(a, scale, precision, records, releases) {
  const sensitivity = (2 * HIGHEST * scale * Math.sqrt(a.dimension)) / records;
  const noise_scale = gaussianScale(sensitivity, a, releases);
  return { truncation_scale: scale, precision, sensitivity, noise_scale };
}

const constants = {
  "wang-1"(a) {
    const sensitivity = (2 * a.clipping_threshold) / a.n;
    const noise_scale = gaussianScale(sensitivity, a, a.n_iterations);
    return { sensitivity, noise_scale };
  },
  "wang-2": splitConstants,
  "diss-7.2.56": fullDataConstants,
  "diss-7.2.57": fullDataConstants,
  "wang-ldp-em": localConstants,
  "zhang-2": sparseConstants,
  "zhang-3": sparseConstants,
  "zhang-5": sparseConstants,
  "zhang-6": sparseConstants,
  "zhang-4": denseConstants,
  "zhang-7": denseConstants,
  "zhang-8": denseConstants,
};

module.exports = { algorithms, constants, block, clipped, roundingFactor };
