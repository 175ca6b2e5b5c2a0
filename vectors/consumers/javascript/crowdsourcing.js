"use strict";
// True labels from the flipped answers of a crowd (Wang 2020, section 7.1).

const { column, range, sum } = require("./linear-algebra.js");
const { logistic } = require("./special-functions.js");

const flipped = (a, ledger) => ledger.randomizedResponse(a.data, a.epsilon);

/** (7.18): every worker counts alike, and ties are 1. */
const vote = (answers) =>
  range(answers[0].length).map((j) => (2 * sum(column(answers, j)) >= answers.length ? 1 : 0));

/** Return the abilities of workers to say what others say, and soft labels. */
function dawidSkene({ answers, initial, n_iterations, margin }) {
  let y = initial;
  let p = [];
  for (let t = 0; t < n_iterations; t++) {
    p = answers.map((row) => {
      const agreement = sum(row.map((x, j) => (x === 1 ? y[j] : 1 - y[j]))) / row.length;
      return Math.max(margin, Math.min(1 - margin, agreement));
    });
    const weights = p.map((pi) => Math.log(pi / (1 - pi)));
    y = y.map((_, j) => logistic(sum(weights.map((w, i) => (2 * answers[i][j] - 1) * w))));
  }
  return { abilities: p, labels: y };
}

/** Algorithm 7.1.54. */
function privateDawidSkene(a, ledger) {
  const answers = flipped(a, ledger);
  const { abilities, labels } = dawidSkene({ ...a, answers, initial: a.initial ?? vote(answers) });
  const lie = 1 / (1 + Math.exp(a.epsilon));
  return {
    abilities: abilities.map((p) => (p - lie) / Math.tanh(a.epsilon / 2)),
    labels: labels.map((yj) => (yj >= 1 / 2 ? 1 : 0)),
  };
}

const algorithms = {
  "diss-7.1.54": privateDawidSkene,
  "diss-7.1.majority": (a, ledger) => vote(flipped(a, ledger)),
};

module.exports = { algorithms, constants: {}, dawidSkene, vote };
