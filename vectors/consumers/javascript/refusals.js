"use strict";
// Arguments that no algorithm accepts. Everything is looked at before the first release.

const PARAMETERS = require("../../parameters.json");

const point = (v) => v.length > 0 && v.every(Number.isFinite);

/** Whether a parameter may have a value. */
function isLegal(name, x) {
  if (name === "initial") return point(x);
  const { low, high, closed, whole } = PARAMETERS[name];
  const above = closed || whole ? x >= Number(low) : x > Number(low);
  return above && x < Number(high) && (!whole || Number.isInteger(x));
}

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
  const told = Object.keys(inputs).filter((name) => name in PARAMETERS || name === "initial");
  const wrong = told.find((name) => inputs[name] !== null && !isLegal(name, inputs[name]));
  if (wrong !== undefined) return wrong;
  const holes = WITH_HOLES.includes(of) || inputs.model?.type === "MissingCovariates";
  const values = "data" in inputs ? "data" : "vector";
  return isData(inputs[values], holes) ? null : values;
}

module.exports = { refused };
