"use strict";
// The truncation of Catoni and Giulini, smoothed (Wang et al. 2020, (13)-(17)).

const { mean } = require("./linear-algebra.js");
const { erf, normalCdf, gaussLegendre } = require("./special-functions.js");

const ROOT2 = Math.SQRT2;
const HIGHEST = (2 * ROOT2) / 3; // of phi
const FAR = 8; // beyond it the closed form cancels,
const WIDE = 2; // and where the smoothing noise is larger than this
const RULE = gaussLegendre(80);

const phi = (u) => (Math.abs(u) <= ROOT2 ? u - u ** 3 / 6 : Math.sign(u) * HIGHEST);

/** Return E phi(a + b xi) of a standard normal xi, b > 0, by the paper's closed form. */
function closedForm(a, b) {
  const [vMinus, vPlus] = [(ROOT2 - a) / b, (ROOT2 + a) / b];
  const [fMinus, fPlus] = [normalCdf(-vMinus), normalCdf(-vPlus)];
  const [eMinus, ePlus] = [Math.exp(-(vMinus ** 2) / 2), Math.exp(-(vPlus ** 2) / 2)];
  if (eMinus === 0 && ePlus === 0) { // v may have overflowed
    return phi(a) - (Math.abs(a) < ROOT2 ? (a * b ** 2) / 2 : 0); // phi'' is -a, or 0
  }
  const root = Math.sqrt(2 * Math.PI);
  const t1 = HIGHEST * (fMinus - fPlus);
  const t2 = -(a - a ** 3 / 6) * (fMinus + fPlus);
  const t3 = (b / root) * (1 - a ** 2 / 2) * (ePlus - eMinus);
  const t4 = ((a * b ** 2) / 2) * (fPlus + fMinus + (vPlus * ePlus + vMinus * eMinus) / root);
  const t5 = (b ** 3 / (6 * root)) * ((2 + vMinus ** 2) * eMinus - (2 + vPlus ** 2) * ePlus);
  return a * (1 - b ** 2 / 2) - a ** 3 / 6 + t1 + t2 + t3 + t4 + t5;
}

/** Return the same far out, where the closed form cancels: phi is cut but on a short interval. */
function byQuadrature(a, b) {
  const outside = HIGHEST * (normalCdf((a - ROOT2) / b) - normalCdf((-a - ROOT2) / b));
  const density = (u) => Math.exp(-(((u - a) / b) ** 2) / 2) / (b * Math.sqrt(2 * Math.PI));
  const inside = RULE.nodes.reduce(
    (total, x, i) => total + RULE.weights[i] * phi(ROOT2 * x) * density(ROOT2 * x), 0);
  return outside + ROOT2 * inside;
}

/**
 * Return s E phi((x/s)(1 + xi/sqrt(precision))): bounded, and near x where |x| is below s.
 *
 * What is not a number counts as 0, an infinity as the bound.
 */
function smoothedTruncation(x, scale, precision) {
  if (x === 0 || Number.isNaN(x)) return 0;
  const limit = truncationBound(1, precision);
  const a = x / scale;
  if (Math.abs(a) < 1e-300) return x; // digits of a are lost, and phi(a) = a
  if (!Number.isFinite(a)) return Math.sign(x) * scale * limit;
  const b = Math.abs(a) / Math.sqrt(precision);
  const value = Math.abs(a) <= FAR && b <= WIDE ? closedForm(a, b) : byQuadrature(a, b);
  return scale * Math.max(-limit, Math.min(limit, value));
}

/** Return what one value counts at most. */
const truncationBound = (scale, precision) => HIGHEST * scale * erf(Math.sqrt(precision / 2));

/** Return the mean of smoothed truncations, coordinate by coordinate. */
function robustMean(rows, scale, precision) {
  return mean(rows.map((row) => row.map((x) => smoothedTruncation(x, scale, precision))));
}

module.exports = { HIGHEST, phi, smoothedTruncation, truncationBound, robustMean };
