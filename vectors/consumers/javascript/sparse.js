"use strict";
// Sparse vectors: noisy hard thresholding, and gradient descent that keeps few coordinates.

const { minus, times, zeros } = require("./linear-algebra.js");
const { gaussianScale, peelingScale } = require("./accounting.js");
const { lossOf, lipschitzOf, meanGradient, smoothnessOf } = require("./losses.js");
const { keepLargest, setOf } = require("./sets.js");

/** Zhang and Zhang 2021, Algorithm 1. */
function noisyHardThresholding(a, ledger) {
  const [support, values] =
    ledger.peeling(a.vector, a.sparsity, a.sensitivity, a.constants.noise_scale);
  const vector = zeros(a.vector.length);
  support.forEach((j, i) => { vector[j] = values[i]; });
  return { support, values, vector };
}

/** Wang 2020, Algorithm 5.3.43. */
function privateHardThresholding(a, ledger) {
  const loss = lossOf(a.loss);
  const project = a.constraint ? setOf(a.constraint).project : (x) => x;
  const records = loss.records(a.data);
  const { sensitivity, noise_scale, step_size } = a.constants;
  let x = a.initial;
  for (let t = 0; t < a.n_iterations; t++) {
    const g = ledger.gaussian(meanGradient(loss, records, x), sensitivity, noise_scale);
    x = project(keepLargest(minus(x, times(step_size, g)), a.sparsity));
  }
  return x;
}

const algorithms = {
  "zhang-1": noisyHardThresholding,
  "diss-5.3.43": privateHardThresholding,
};

const constants = {
  "zhang-1": (a) => ({ noise_scale: peelingScale(a.sensitivity, a) }),
  "diss-5.3.43"(a) {
    const sensitivity = (2 * lipschitzOf(a.loss)) / a.n;
    const noise_scale = gaussianScale(sensitivity, a, a.n_iterations);
    return { sensitivity, noise_scale, step_size: 1 / (2 * smoothnessOf(a.loss)) };
  },
};

module.exports = { algorithms, constants };
