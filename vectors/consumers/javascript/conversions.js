"use strict";
// From one kind of guarantee to another, and what lists of releases cost by simple rules.

const {
  gaussianDelta, gaussianMu, largestPureEpsilon, largestRho, smallestEpsilon, zcdpDelta, zcdpOf,
} = require("./accounting.js");
const { sum } = require("./linear-algebra.js");
const { NotImplemented } = require("./not-implemented.js");

const gaussianEpsilon = (mu, delta) => smallestEpsilon((epsilon) => gaussianDelta(epsilon, mu), delta);
const zcdpEpsilon = (rho, delta) => smallestEpsilon((epsilon) => zcdpDelta(rho, epsilon), delta);

const laplaceDelta = (size, epsilon) => Math.max(0, -Math.expm1((epsilon - size) / 2));
const laplaceEpsilon = (size, delta) => Math.max(0, size + 2 * Math.log1p(-delta));

/** Return size + e^-size - 1, for a small size by its series: there the terms cancel. */
const laplaceRho = (size) =>
  (size > 0.01 ? size + Math.expm1(-size) : (size ** 2 / 2) * (1 - size / 3 + size ** 2 / 12));

/** `mu` and `size` are a sensitivity over a scale. */
const conversions = {
  "gaussian-delta": ({ mu, epsilon }) => gaussianDelta(epsilon, mu),
  "gaussian-epsilon": ({ mu, delta }) => gaussianEpsilon(mu, delta),
  "gaussian-mu": ({ epsilon, delta }) => gaussianMu(epsilon, delta),
  "laplace-delta": (a) => laplaceDelta(a.size, a.epsilon),
  "laplace-epsilon": (a) => laplaceEpsilon(a.size, a.delta),
  "zcdp-epsilon": ({ rho, delta }) => rho + 2 * Math.sqrt(rho * Math.log(1 / delta)),
  "zcdp-rho": ({ epsilon, delta }) => zcdpOf(epsilon, delta),
  "zcdp-delta": ({ rho, epsilon }) => zcdpDelta(rho, epsilon),
  "zcdp-largest-rho": ({ epsilon, delta }) => largestRho(epsilon, delta),
  "pure-epsilon": ({ epsilon, delta }) => largestPureEpsilon(epsilon, delta),
};

/** What a guarantee says at an epsilon: pure DP is worst for randomised response. */
const pureDelta = (own, epsilon) =>
  Math.max(0, (Math.exp(own) - Math.exp(epsilon)) / (Math.exp(own) + 1));
const pureAt = (own, delta) =>
  Math.max(0, Math.log(Math.exp(own) - delta * (Math.exp(own) + 1)) || 0);
const renyiFactor = (order) => (1 - 1 / order) ** order / (order - 1);

const GUARANTEES = {
  pure: { delta: pureDelta, epsilon: pureAt },
  approximate: {
    delta: (own, most, epsilon) => most + (1 - most) * pureDelta(own, epsilon),
    epsilon: (own, most, delta) =>
      delta < most ? Infinity : pureAt(own, (delta - most) / (1 - most)),
  },
  zcdp: {
    delta: zcdpDelta,
    epsilon: (rho, delta) => (delta > 0 ? zcdpEpsilon(rho, delta) : Infinity),
  },
  renyi: {
    delta: (order, divergence, epsilon) =>
      Math.min(1, Math.exp((order - 1) * (divergence - epsilon)) * renyiFactor(order)),
    epsilon: (order, divergence, delta) =>
      Math.max(0, divergence + Math.log(renyiFactor(order) / delta) / (order - 1)),
  },
  gaussian: {
    delta: (mu, epsilon) => gaussianDelta(epsilon, mu),
    epsilon: (mu, delta) => (delta > 0 ? gaussianEpsilon(mu, delta) : Infinity),
  },
};
conversions["guarantee-delta"] = ({ kind, numbers, epsilon }) =>
  GUARANTEES[kind].delta(...numbers, epsilon);
conversions["guarantee-epsilon"] = ({ kind, numbers, delta }) =>
  GUARANTEES[kind].epsilon(...numbers, delta);

const size = ({ sensitivity, scale }) => sensitivity / scale;
const rhoOf = (release) =>
  (release.kind === "laplace" ? laplaceRho(size(release)) : size(release) ** 2 / 2);

/** Return epsilon at the delta that is asked for, or delta at the epsilon. */
const atGoal = ({ epsilon, delta }, epsilonAt, deltaAt) =>
  delta !== undefined ? epsilonAt(delta) : deltaAt(epsilon);

function gaussianRule(a) {
  const mu = Math.sqrt(sum(a.releases.map((release) => release.count * size(release) ** 2)));
  return atGoal(a, (delta) => gaussianEpsilon(mu, delta), (epsilon) => gaussianDelta(epsilon, mu));
}

/** The exact curve of Gaussian releases, or of one Laplace release; the rest is composed numerically. */
function tight(a) {
  const [first, ...others] = a.releases;
  if (a.releases.some(({ sample }) => sample)) throw new NotImplemented("composition of samples");
  if (a.releases.every(({ kind }) => kind === "gaussian")) return gaussianRule(a);
  if (others.length > 0 || first.count > 1) throw new NotImplemented("numerical composition");
  return atGoal(a, (delta) => laplaceEpsilon(size(first), delta),
    (epsilon) => laplaceDelta(size(first), epsilon));
}

const accounting = {
  pure: ({ releases }) => sum(releases.map((release) => release.count * size(release))),
  zcdp(a) {
    const rho = sum(a.releases.map((release) => release.count * rhoOf(release)));
    return atGoal(a, (delta) => zcdpEpsilon(rho, delta), (epsilon) => zcdpDelta(rho, epsilon));
  },
  gaussian: gaussianRule,
  tight,
};

module.exports = { conversions, accounting, laplaceRho };
