"use strict";
// True labels from the flipped answers of a crowd (Wang 2020, section 7.1).

const { column, range, sum } = require("./linear-algebra.js");
const { logistic } = require("./special-functions.js");

const flipped = (a, ledger) => ledger.randomizedResponse(a.data, a.epsilon);

/** (7.18): every worker counts alike, and ties are 1. */
const vote = (answers) =>
  range(answers[0].length).map((j) => (2 * sum(column(answers, j)) >= answers.length ? 1 : 0));

/** Algorithm 7.1.54. */
function dawidSkene(a, ledger) {
  const answers = flipped(a, ledger);
  let y = a.initial ?? vote(answers);
  let p = [];
  for (let t = 0; t < a.n_iterations; t++) {
    p = answers.map((row) => {
      const agreement = sum(row.map((x, j) => (x === 1 ? y[j] : 1 - y[j]))) / row.length;
      return Math.max(a.margin, Math.min(1 - a.margin, agreement));
    });
    const weights = p.map((pi) => Math.log(pi / (1 - pi)));
    y = y.map((_, j) => logistic(sum(weights.map((w, i) => (2 * answers[i][j] - 1) * w))));
  }
  const lie = 1 / (1 + Math.exp(a.epsilon));
  return {
    abilities: p.map((pi) => (pi - lie) / Math.tanh(a.epsilon / 2)),
    labels: y.map((yj) => (yj >= 1 / 2 ? 1 : 0)),
  };
}

const algorithms = {
  "diss-7.1.54": dawidSkene,
  "diss-7.1.majority": (a, ledger) => vote(flipped(a, ledger)),
};

module.exports = { algorithms, constants: {} };
