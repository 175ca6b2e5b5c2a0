"use strict";
// Formulas by which parameters are chosen before a run, and what one release costs.

const { gaussianDelta, gaussianScale, peelingScale } = require("./accounting.js");
const { laplaceRho } = require("./conversions.js");
const { meanSensitivity, robustConstants } = require("./heavy-tailed.js");
const { each, minus, nested, norm1, range, shapeOf, sum } = require("./linear-algebra.js");
const { disjunction } = require("./local.js");
const { hessianLipschitzOf, smoothnessOf } = require("./losses.js");
const { thresholdConstants } = require("./matrices.js");
const { selectionConstants } = require("./nonconvex.js");
const { setOf } = require("./sets.js");
const { erfc, gaussRule } = require("./special-functions.js");

/** A = tau (1 + 1/beta)/2 of the bias, and B of spread and noise, of T steps. */
function frankWolfeTerms({ precision = 1, ...a }, steps) {
  const zeta = a.failure_probability;
  return {
    bias: (a.second_moment * (1 + 1 / precision)) / 2,
    spread: precision / 2 + Math.log((4 * a.dimension * steps) / zeta)
      + (8 * Math.SQRT2 * Math.log((2 * a.n_vertices * steps) / zeta)) / (3 * a.epsilon),
  };
}

/** The scale sqrt(A m/B) that makes A/s + B s/m smallest. */
function frankWolfeScale(a) {
  const { bias, spread } = frankWolfeTerms(a, a.n_iterations);
  return Math.sqrt((bias * Math.floor(a.n / a.n_iterations)) / spread);
}

/** (4 alpha^2 D^2 n/(A B))^(1/3), with T = n in B, rounded. */
function frankWolfeIterations(a) {
  const { bias, spread } = frankWolfeTerms(a, a.n);
  const best = Math.cbrt((4 * (a.smoothness * a.diameter) ** 2 * a.n) / (bias * spread));
  return Math.min(Math.max(Math.round(best), 1), a.n);
}

const trimCount = ({ n, lower, upper, epsilon, standard_deviation: sigma }) =>
  Math.max(1, Math.ceil((16 / epsilon ** 2) * Math.log((n * (upper - lower)) / sigma)));

function meanConstants(a) {
  const log = Math.log(1 / a.failure_probability);
  const scale = Math.sqrt((a.n * a.second_moment) / (2 * log));
  return robustConstants(a, scale, 2 * log, a.n, 1, 1);
}

function l1SmoothConstants(a) {
  const vertices = setOf(a.ball).vertices(a.dimension);
  const diameter = Math.max(...vertices.flatMap((v) => vertices.map((w) => norm1(minus(v, w)))));
  return {
    ...selectionConstants({ ...a, vertices }),
    step_size: Math.min(1, Math.sqrt(2 / (smoothnessOf(a.loss) * a.n_iterations)) / diameter),
  };
}

/**
 * Noise of a moment by the exact curve, by the classical sqrt(2 log(1.25/delta))/epsilon for its
 * sensitivity sqrt 2, or by that for 1 with twice the variance on the diagonal.
 */
function momentNoise({ rule, epsilon, delta }) {
  const classical = Math.sqrt(2 * Math.log(1.25 / delta)) / epsilon;
  return {
    equal: () => ({
      sensitivity: Math.SQRT2,
      noise_scale: gaussianScale(Math.SQRT2, { epsilon, delta }),
      diagonal_variance: 1,
    }),
    scaled: () => ({
      sensitivity: Math.SQRT2, noise_scale: Math.SQRT2 * classical, diagonal_variance: 1,
    }),
    diagonal: () => ({ sensitivity: 1, noise_scale: classical, diagonal_variance: 2 }),
  }[rule]();
}

function pcaConstants(a) {
  const user = momentNoise(a);
  const ofMean = {
    ...user, sensitivity: user.sensitivity / a.n, noise_scale: user.noise_scale / a.n,
  };
  return {
    user,
    covariance: thresholdConstants(a, a.n, ofMean),
    local_covariance: thresholdConstants(a, 1, user),
  };
}

/** Return the points of a grid of several axes, the last the fastest. */
const product = (axes) =>
  axes.reduce((points, axis) => points.flatMap((w) => axis.map((x) => [...w, x])), [[]]);

/** Interpolate exp((x_1 + 2 x_2 + ..)/4) at the Chebyshev nodes, and answer it from means. */
function smoothQuery({ means }) {
  const shape = shapeOf(means);
  const angles = product(shape.map((t) => range(t).map((i) => (Math.PI * (2 * i + 1)) / (2 * t))));
  const f = (theta) => Math.exp(sum(theta.map((x, j) => (j + 1) * Math.cos(x))) / 4);
  const found = product(shape.map(range)).map((r) => {
    const weight = r.reduce((w, rj, j) => (w * (rj === 0 ? 1 : 2)) / shape[j], 1);
    const cosines = (theta) => theta.reduce((c, x, j) => c * Math.cos(r[j] * x), 1);
    return weight * sum(angles.map((theta) => f(theta) * cosines(theta)));
  });
  const coefficients = nested(found, shape);
  return { coefficients, answer: sum(each((c, m) => c * m, coefficients, means).flat(Infinity)) };
}

/**
 * Return the chance that the first of several independent bits is selected: uniformly among those
 * that are 1, or among all.
 */
function selectionChance([own, ...others]) {
  const rest = (w) => others.reduce((p, x) => p * (1 - x * w), 1);
  const average = sum(gaussRule(others.length).map(([w, weight]) => weight * rest(w)));
  return own * average + ((1 - own) * rest(1)) / (others.length + 1);
}

/**
 * The largest log-ratio of that chance where chances in [e^-epsilon, e^epsilon]/2 move by a factor
 * e^epsilon: it is at ends of p' in [1/(2c), 1/2] for the own chance and of [1/2, c/2] for others.
 */
function indexLoss({ n_candidates: count, base_epsilon: epsilon }) {
  const c = Math.exp(epsilon);
  const losses = [0.5 / c, 0.5].flatMap((own) => range(count).map((high) => {
    const others = range(count - 1).map((i) => (i < high ? c / 2 : 0.5));
    return Math.log(selectionChance([c * own, ...others.map((p) => p / c)])
      / selectionChance([own, ...others]));
  }));
  return Math.max(...losses);
}

const TINY = Number.MIN_VALUE; // what is released costs something, even where that underflows
const ratio = (x, y) => Math.max(x / y, TINY);
const halfSquare = (x) => Math.max(x ** 2 / 2, TINY);
const NOTHING = {
  pure: Infinity, rho: Infinity, gaussian: null, laplace: null, approximate: null, wishart: null,
};
const pure = (epsilon, rho = halfSquare(epsilon)) => ({ pure: epsilon, rho });
const gaussianCost = ({ scale }, s) =>
  ({ rho: halfSquare(ratio(s, scale)), gaussian: ratio(s, scale) });
function laplaceCost({ scale }, s) {
  const epsilon = ratio(s, scale);
  return { ...pure(epsilon, Math.max(laplaceRho(epsilon), TINY)), laplace: epsilon };
}

/** Return the chance that a chi-square number of d degrees of freedom exceeds x. */
function chiSquareTail(d, x) {
  const y = x / 2;
  let a = d % 2 === 1 ? 1 / 2 : 1;
  let tail = d % 2 === 1 ? erfc(Math.sqrt(y)) : Math.exp(-y);
  let term = d % 2 === 1 ? (2 * Math.sqrt(y / Math.PI)) * Math.exp(-y) : y * Math.exp(-y);
  for (; a < d / 2; a++) { // Q(a + 1, y) = Q(a, y) + y^a e^-y/Gamma(a + 1)
    tail += term;
    term *= y / (a + 1);
  }
  return tail;
}

/** Return delta(epsilon) of N(0, I) and N(0, e^(2 log) I), the worse way round. */
function dilationDelta(log, d, epsilon) {
  const [lost, narrowed] = [-Math.expm1(-2 * log), Math.exp(-2 * log)];
  const outside = (2 * (epsilon + d * log)) / lost; // beyond, the wide one is likelier by e^epsilon
  const inside = Math.max(0, (2 * (d * log - epsilon)) / lost);
  const wide = chiSquareTail(d, narrowed * outside) - Math.exp(epsilon) * chiSquareTail(d, outside);
  const narrow = 1 - chiSquareTail(d, inside)
    - Math.exp(epsilon) * (1 - chiSquareTail(d, narrowed * inside));
  return Math.max(wide, narrow, 0);
}

/** Slide the mean with a share of epsilon, then change the scale: the best of 19 shares. */
function smoothCost({ smoothness, divisor, rho, epsilon, dimension }, s) {
  if (epsilon === null) return { rho: rho * s ** 2 };
  const deltas = range(19).map((i) => {
    const own = ((i + 1) / 20) * epsilon;
    return gaussianDelta(own, divisor * s)
      + Math.exp(own) * dilationDelta(smoothness * s, dimension, epsilon - own);
  });
  return { approximate: [epsilon, Math.min(1, ...deltas)] };
}

/** With dimension + 1 degrees the curve is flat; with fewer there is no bound. */
function wishartCost({ degrees, scale, dimension }, s) {
  if (degrees < dimension + 1) return {};
  const size = ratio(s, scale);
  if (degrees > dimension + 1) return { wishart: [degrees, size, dimension] };
  return { approximate: [0, -Math.expm1(-size / 2)] };
}

/** An exponential mechanism has bounded range: epsilon^2/8 of zCDP. */
function exponentialCost({ rate }, s) {
  const epsilon = Math.max(2 * rate * s, TINY);
  return pure(epsilon, halfSquare(epsilon / 2));
}

const COSTS = {
  Gaussian: gaussianCost,
  SymmetricGaussian: gaussianCost,
  Laplace: laplaceCost,
  SymmetricLaplace: laplaceCost,
  Exponential: exponentialCost,
  IntervalExponential: exponentialCost,
  NoisyMax: ({ scale }, s) => pure(ratio(2 * s, scale)),
  RandomizedResponse({ epsilon }, s) {
    const answers = Math.ceil(s); // an attribute is a whole answer
    return pure(epsilon * answers, answers * halfSquare(epsilon));
  },
  L2BallRandomizer: ({ epsilon }) => pure(epsilon),
  Bit: ({ temperature }, s) => pure(ratio(s, temperature)),
  Wishart: wishartCost,
  SmoothSensitivity: smoothCost,
};
const releaseCost = ({ mechanism, sensitivity }) =>
  ({ ...NOTHING, ...COSTS[mechanism.type](mechanism, sensitivity) });

/** Replacing a record is removing one and adding one. */
const REPLACED = {
  pure: (epsilon) => ({ epsilon: 2 * epsilon }),
  approximate: (epsilon, delta) =>
    ({ epsilon: 2 * epsilon, delta: (1 + Math.exp(epsilon)) * delta }),
  zcdp: (rho) => ({ rho: 4 * rho }),
  gaussian: (mu) => ({ mu: 2 * mu }),
};

const plans = {
  "add-remove-to-replace-one": ({ kind, numbers }) => REPLACED[kind](...numbers),
  "frank-wolfe-iterations": frankWolfeIterations,
  "frank-wolfe-l1-smooth-constants": l1SmoothConstants,
  "frank-wolfe-truncation-scale": frankWolfeScale,
  "gaussian-pca-constants": pcaConstants,
  "index-loss": indexLoss,
  "lasso-truncation-level": ({ n, epsilon, n_iterations, fourth_moment }) =>
    (fourth_moment * n * epsilon) ** (1 / 4) / n_iterations ** (1 / 8),
  "mean-constants-lemma-1": meanConstants,
  "other-guarantees": ({ number, alpha }) => ({
    pure_to_zcdp: { rho: number ** 2 / 2 },
    gaussian_to_zcdp: { rho: number ** 2 / 2 },
    zcdp_to_renyi: { alpha, divergence: alpha * number },
  }),
  "peeling-noise-scale": (a) => peelingScale(a.sensitivity, a),
  "release-cost": releaseCost,
  "smooth-query": smoothQuery,
  "sparse-optimisation-truncation-scale": (a) =>
    Math.sqrt((a.n * a.epsilon * a.second_moment)
      / (a.n_iterations * Math.sqrt(a.sparsity * Math.log(1 / a.delta)) * Math.log(a.dimension))),
  "sparse-regression-truncation-level": ({ n, epsilon, sparsity, n_iterations }) =>
    ((n * epsilon) / (sparsity * n_iterations)) ** (1 / 4),
  "step-polynomial": ({ k, error }) => disjunction(k, error),
  "trim-count": trimCount,
  "truncated-mean-sensitivity": ({ n, scale }) => meanSensitivity(scale, n),
  "trust-region-iterations": ({ loss, gap, accuracy }) =>
    Math.ceil((6 * Math.sqrt(hessianLipschitzOf(loss)) * gap) / accuracy ** 1.5),
};

module.exports = { plans };
