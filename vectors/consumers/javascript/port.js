"use strict";
// Answers conformance cases, one line of JSON each (../../README.md).

const readline = require("node:readline");
const { blocks } = require("./blocks.js");
const { decoded } = require("./decoding.js");
const { accounting, conversions } = require("./conversions.js");
const { Ledger, releases } = require("./mechanisms.js");
const { NotImplemented } = require("./not-implemented.js");
const { numbers } = require("./numbers.js");
const { refused } = require("./refusals.js");
const { samplers } = require("./samplers.js");

const FAMILIES = ["basic", "em", "heavy-tailed", "convex", "nonconvex", "pairwise", "local", "sparse",
  "matrices", "crowdsourcing"];
const families = FAMILIES.map((name) => require(`./${name}.js`));
const algorithms = Object.assign({}, ...families.map((family) => family.algorithms));
const constants = Object.assign({}, ...families.map((family) => family.constants));

const functions = { numbers, mechanisms: releases, algorithms, constants, blocks, conversions,
  accounting, samplers };
const WITH_STEPS = ["mechanisms", "algorithms"];

const encoded = (key, value) =>
  typeof value === "number" && !Number.isFinite(value) ? String(value) : value;

function answer({ kind, of, inputs, draws }) {
  if (kind === "refusals") return { result: refusalOf(of, inputs) };
  const known = functions[kind] ?? {};
  if (!(of in known)) return { "not implemented": true };
  if (!WITH_STEPS.includes(kind)) return { result: known[of](inputs) };
  const wrong = kind === "algorithms" ? refused(of, inputs) : null;
  if (wrong !== null) throw new Error(`${wrong} is refused`);
  const ledger = new Ledger(draws);
  const result = known[of](inputs, ledger);
  if (ledger.steps.length < draws.length) {
    throw new Error(`${ledger.steps.length} of ${draws.length} draws were used`);
  }
  return { steps: ledger.steps, result };
}

/** Say which argument an algorithm refuses, by the same rule as before it runs. */
function refusalOf(of, inputs) {
  const name = refused(of, inputs);
  return name === null ? {} : { refused: name };
}

/** Answer a line; what fails says why, and to standard error where. */
function answered(line) {
  try {
    return answer(decoded(JSON.parse(line)));
  } catch (error) {
    if (error instanceof NotImplemented) return { "not implemented": true };
    console.error(error.stack);
    return { error: `${error.message} ${error.stack.split("\n")[1].trim()}` };
  }
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  process.stdout.write(`${JSON.stringify(answered(line), encoded)}\n`);
});
