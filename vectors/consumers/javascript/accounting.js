"use strict";
// Privacy of Gaussian releases, exactly; of pure and zCDP ones, by the usual rules.

const { scaledErfc } = require("./special-functions.js");

/**
 * Return delta(epsilon) of a Gaussian release with mu = sensitivity/scale:
 * Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu), with what both have in common, the
 * normal density at the first argument, taken out.
 */
function gaussianDelta(epsilon, mu) {
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

/** Return the standard deviation for several releases of one l2 sensitivity. */
function gaussianScale(sensitivity, epsilon, delta, releases = 1) {
  return (sensitivity * Math.sqrt(releases)) / gaussianMu(epsilon, delta);
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
function peelingScale(sensitivity, { epsilon, delta, sparsity: s }) {
  const log = Math.log(1 / delta);
  const root = Math.sqrt(5 / 24);
  const limit = ((1 - 2 * root) / root ** 2) * log;
  if (epsilon <= limit || s <= (4 / 3) * log) {
    return (2 * sensitivity * Math.sqrt(3 * s * log)) / epsilon;
  }
  const byZcdp = sensitivity * Math.sqrt((5 * s) / (2 * zcdpOf(epsilon, delta)));
  return Math.min(byZcdp, (3 * s * sensitivity) / epsilon);
}

module.exports = { gaussianDelta, gaussianMu, gaussianScale, peelingScale, zcdpOf };
