"use strict";
// The normal distribution, and what else the standard library lacks.

/** Return e^(x^2) erfc(x) for x >= 0, to about 1e-15 relative. */
function scaledErfc(x) {
  if (x < 2) return Math.exp(x * x) * (1 - erfSeries(x));
  // Laplace's continued fraction, from the far end: 1/(x + (1/2)/(x + (2/2)/(x + ...)))
  let tail = 0;
  for (let k = Math.ceil(20 + 400 / (x * x)); k >= 1; k--) tail = k / 2 / (x + tail);
  return 1 / ((x + tail) * Math.sqrt(Math.PI));
}

/** Return erf(x) by its series of positive terms. */
function erfSeries(x) {
  let [term, total] = [x, x];
  for (let k = 1; term > 1e-18 * total; k++) {
    term *= (2 * x * x) / (2 * k + 1);
    total += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * total;
}

function erfc(x) {
  if (x < 0) return 2 - erfc(-x);
  return x < 0.5 ? 1 - erfSeries(x) : Math.exp(-x * x) * scaledErfc(x);
}

const erf = (x) => (Math.abs(x) < 2 ? Math.sign(x) * erfSeries(Math.abs(x)) : 1 - erfc(x));

/** Return the standard normal distribution function. */
const normalCdf = (x) => 0.5 * erfc(-x * Math.SQRT1_2);

/** Return log(1 + e^x) without overflow. */
const softplus = (x) => (x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x)));

/** Return 1/(1 + e^-x). */
const logistic = (x) => (x >= 0 ? 1 / (1 + Math.exp(-x)) : 1 - 1 / (1 + Math.exp(x)));

/** Return n over k. */
function binomial(n, k) {
  let result = 1;
  for (let i = 1; i <= k; i++) result = (result * (n - k + i)) / i;
  return Math.round(result);
}

/** Return the nodes and weights of Gauss and Legendre on [-1, 1]. */
function gaussLegendre(count) {
  const nodes = [];
  const weights = [];
  for (let i = 0; i < count; i++) {
    let x = Math.cos((Math.PI * (i + 0.75)) / (count + 0.5));
    let slope = 1;
    for (let step = 0; step < 100; step++) {
      let [before, p] = [1, x];
      for (let k = 2; k <= count; k++) [before, p] = [p, ((2 * k - 1) * x * p - (k - 1) * before) / k];
      slope = (count * (x * p - before)) / (x * x - 1);
      const change = p / slope;
      x -= change;
      if (Math.abs(change) < 1e-16) break;
    }
    nodes.push(x);
    weights.push(2 / ((1 - x * x) * slope * slope));
  }
  return { nodes, weights };
}

/** Return [node, weight] on [0, 1], ascending and as few as are exact for a degree. */
function gaussRule(degree) {
  const { nodes, weights } = gaussLegendre(Math.ceil((degree + 1) / 2));
  return nodes.map((x, i) => [(1 + x) / 2, weights[i] / 2]).sort((a, b) => a[0] - b[0]);
}

module.exports = {
  scaledErfc, erf, erfc, normalCdf, softplus, logistic, binomial, gaussLegendre, gaussRule,
};
