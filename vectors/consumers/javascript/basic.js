"use strict";
// The mechanisms themselves, on sums of bounded records.

const { sum, transpose } = require("./linear-algebra.js");
const { gaussianScale } = require("./accounting.js");
const { clampAll } = require("./models.js");

/** Return the sum of records whose entries are cut to [-bound, bound]. */
const boundedSum = ({ data, bound }) =>
  transpose(data.map((row) => clampAll(row, bound))).map(sum);

function laplaceMechanism(a, ledger) {
  const sensitivity = 2 * a.data[0].length * a.bound;
  return ledger.laplace(boundedSum(a), sensitivity, sensitivity / a.epsilon);
}

const gaussianMechanism = (a, ledger) =>
  ledger.gaussian(boundedSum(a), a.constants.sensitivity, a.constants.noise_scale);

const exponentialMechanism = (a, ledger) =>
  ledger.exponential(boundedSum(a), 2 * a.bound, a.epsilon);

/** Every user reports a bit; the estimate of the mean undoes the lies. */
function randomizedResponse(a, ledger) {
  const reports = ledger.randomizedResponse(a.data, a.epsilon);
  const rate = sum(reports) / reports.length;
  const lie = 1 / (1 + Math.exp(a.epsilon));
  return { reports, mean: (rate - lie) / Math.tanh(a.epsilon / 2) };
}

const algorithms = {
  "diss-2.laplace": laplaceMechanism,
  "diss-2.gaussian": gaussianMechanism,
  "diss-2.exponential": exponentialMechanism,
  "diss-2.randomized-response": randomizedResponse,
};

const constants = {
  "diss-2.gaussian"(a) {
    const sensitivity = 2 * Math.sqrt(a.dimension) * a.bound;
    return { sensitivity, noise_scale: gaussianScale(sensitivity, a) };
  },
};

module.exports = { algorithms, constants };
