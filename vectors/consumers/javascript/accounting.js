"use strict";
// Privacy of Gaussian releases, exactly; of pure and zCDP ones, by the usual rules.

const { scaledErfc } = require("./special-functions.js");

/**
 * Return delta(epsilon) of a Gaussian release with mu = sensitivity/scale:
 * Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu), with what both have in common, the
 * normal density at the first argument, taken out.
 */
function gaussianDelta(epsilon, mu) {
  if (mu === 0) return 0;
  const near = (epsilon / mu - mu / 2) * Math.SQRT1_2;
  const far = (epsilon / mu + mu / 2) * Math.SQRT1_2;
  if (near < 0) { // Phi(-x) = 1 - Phi(x)
    return 1 - 0.5 * Math.exp(-near * near) * (scaledErfc(-near) + scaledErfc(far));
  }
  return 0.5 * Math.exp(-near * near) * (scaledErfc(near) - scaledErfc(far));
}

/** Return the largest mu with gaussianDelta(epsilon, mu) <= delta, by bisection of its logarithm. */
function gaussianMu(epsilon, delta) {
  let [low, high] = [-60, 60];
  for (let step = 0; step < 200 && high - low > 1e-15; step++) {
    const middle = (low + high) / 2;
    if (gaussianDelta(epsilon, Math.exp(middle)) <= delta) low = middle;
    else high = middle;
  }
  return Math.exp(low);
}

/**
 * Return the standard deviation for several releases of one l2 sensitivity: exact, unless the
 * method is the papers' conversion of zCDP, where mu^2/2 is rho.
 */
function gaussianScale(sensitivity, { epsilon, delta, method = "gaussian-dp" }, releases = 1) {
  const mu =
    method === "zcdp" ? Math.sqrt(2 * zcdpOf(epsilon, delta)) : gaussianMu(epsilon, delta);
  return (sensitivity * Math.sqrt(releases)) / mu;
}

/** Return the rho with rho + 2 sqrt(rho log(1/delta)) = epsilon: tilde-epsilon squared. */
function zcdpOf(epsilon, delta) {
  const log = Math.log(1 / delta);
  return (epsilon / (Math.sqrt(log + epsilon) + Math.sqrt(log))) ** 2;
}

/**
 * Return the Laplace scale of noisy hard thresholding: the paper's where it is private (it costs
 * 5 epsilon^2/(24 log(1/delta)) of zCDP, or 3 s sensitivity/scale of pure DP), else the least of
 * these two rules.
 */
function peelingScale(sensitivity, { epsilon, delta, sparsity: s, method = "paper" }) {
  if (method === "accountant") {
    const byRho = sensitivity * Math.sqrt((5 * s) / (2 * largestRho(epsilon, delta)));
    return Math.min(byRho, (3 * s * sensitivity) / largestPureEpsilon(epsilon, delta));
  }
  const log = Math.log(1 / delta);
  const root = Math.sqrt(5 / 24);
  const limit = ((1 - 2 * root) / root ** 2) * log;
  if (epsilon <= limit || s <= (4 / 3) * log) {
    return (2 * sensitivity * Math.sqrt(3 * s * log)) / epsilon;
  }
  const byZcdp = sensitivity * Math.sqrt((5 * s) / (2 * zcdpOf(epsilon, delta)));
  return Math.min(byZcdp, (3 * s * sensitivity) / epsilon);
}

/**
 * Return the least delta at which rho-zCDP is (epsilon, delta)-DP, by Renyi divergences of all
 * orders (Canonne, Kamath and Steinke, 2020): the least of e^((a - 1)(a rho - epsilon)) (1 - 1/a)^a
 * /(a - 1), a > 1, by ternary search of its logarithm; 1 at most, which is the limit at a = 1.
 */
function zcdpDelta(rho, epsilon) {
  const log = (x) => { // x = log(a - 1)
    const a = 1 + Math.exp(x);
    return (a - 1) * (a * rho - epsilon) + a * Math.log1p(-1 / a) - x;
  };
  let [low, high] = [-20, 400];
  for (let step = 0; step < 200; step++) {
    const [one, two] = [low + (high - low) / 3, high - (high - low) / 3];
    if (log(one) < log(two)) high = two;
    else low = one;
  }
  return Math.min(1, Math.exp(log(low)));
}

/** Return the least epsilon >= 0 at which a falling function is at most delta, by bisection. */
function smallestEpsilon(deltaAt, delta) {
  if (deltaAt(0) <= delta) return 0;
  let [low, high] = [0, 1];
  while (deltaAt(high) > delta) [low, high] = [high, 2 * high];
  for (let step = 0; step < 200; step++) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (deltaAt(middle) <= delta) high = middle;
    else low = middle;
  }
  return high;
}

/** Return the largest rho that is (epsilon, delta)-DP by `zcdpDelta`, by bisection of its logarithm. */
function largestRho(epsilon, delta) {
  let [low, high] = [-60, 10];
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2;
    if (zcdpDelta(Math.exp(middle), epsilon) <= delta) low = middle;
    else high = middle;
  }
  return Math.exp(low);
}

/**
 * Return the largest e for which pure e-DP is (epsilon, delta)-DP: its delta is at most
 * (e^e - e^epsilon)/(e^e + 1).
 */
const largestPureEpsilon = (epsilon, delta) =>
  epsilon + Math.log1p(delta * Math.exp(-epsilon)) - Math.log1p(-delta);

/**
 * Return the budget of one of several selections: bounded range makes each epsilon_0^2/8-zCDP;
 * pure DP may allow more. The method of the papers is their conversion of zCDP alone.
 */
function selectionEpsilon({ epsilon, delta, method = "accountant" }, selections) {
  if (method === "zcdp") return Math.sqrt((8 * zcdpOf(epsilon, delta)) / selections);
  const byRho = Math.sqrt((8 * largestRho(epsilon, delta)) / selections);
  return Math.max(byRho, largestPureEpsilon(epsilon, delta) / selections);
}

module.exports = {
  gaussianDelta, gaussianMu, gaussianScale, largestPureEpsilon, largestRho, peelingScale,
  selectionEpsilon, smallestEpsilon, zcdpDelta, zcdpOf,
};
