"use strict";
// Arguments that no algorithm accepts. Everything is looked at before the first release.

const positive = (x) => x > 0 && Number.isFinite(x);
const notNegative = (x) => x >= 0 && Number.isFinite(x);
const inside = (x) => x > 0 && x < 1;
const count = (x) => Number.isInteger(x) && x > 0;
const point = (v) => v.length > 0 && v.every(Number.isFinite);

/** What a parameter may be, by its name. */
const LEGAL = {
  epsilon: positive,
  delta: inside,
  n_iterations: count,
  n_epochs: count,
  n_inner: count,
  batch_size: count,
  n_components: count,
  sparsity: count,
  step_size: positive,
  failure_probability: inside,
  clipping_threshold: positive,
  second_moment: positive,
  truncation_level: positive,
  accuracy: positive,
  bound: positive,
  penalty: notNegative,
  initial: point,
};

/** Algorithms and models whose records are (x, y) with NaN for what is missing of x. */
const WITH_HOLES = ["zhang-6", "zhang-8"];

/** Whether there are records and no NaN; of covariates that may be missing, only the response. */
function isData(data, holes) {
  if (!Array.isArray(data)) return isData(data.features, false) && isData(data.labels, false);
  const asked = holes ? data.map((record) => record[record.length - 1]) : data.flat(Infinity);
  return asked.length > 0 && !asked.some(Number.isNaN);
}

/** Return the name of an argument that must be refused, or null. */
function refused(of, inputs) {
  const wrong = Object.keys(LEGAL).find((name) =>
    inputs[name] !== undefined && inputs[name] !== null && !LEGAL[name](inputs[name]));
  if (wrong !== undefined) return wrong;
  const holes = WITH_HOLES.includes(of) || inputs.model?.type === "MissingCovariates";
  const values = "data" in inputs ? "data" : "vector";
  return isData(inputs[values], holes) ? null : values;
}

module.exports = { refused };
