"use strict";
// Second moments with noise, and what is estimated from them (Wang 2020, chapter 6).

const {
  argmax, dot, each, eigen, gram, identity, minus, norm, order, outer, plus, solve, sum, times,
  transpose,
} = require("./linear-algebra.js");
const { gaussianScale } = require("./accounting.js");
const { clipped } = require("./em.js");
const { clamp } = require("./models.js");
const { soft } = require("./sets.js");

const addMatrices = (a, b) => each((x, y) => x + y, a, b);
const subtractMatrices = (a, b) => each((x, y) => x - y, a, b);
const scaled = (c, a) => each((x) => c * x, a);
const unitRows = (data) => data.map((x) => clipped(x, 1));

/** Return sum of f(value) v v^T over the eigenvectors of a symmetric matrix. */
function spectral(matrix, f) {
  const { values, vectors } = eigen(matrix);
  return vectors.map((v, k) => scaled(f(values[k]), outer(v, v))).reduce(addMatrices);
}

const positivePart = (matrix) => spectral(matrix, (x) => Math.max(0, x));

/** Release the second moment of records of norm at most 1. */
function noisyMoment(a, ledger) {
  const { sensitivity, noise_scale, diagonal_variance } = a.constants;
  const moment = gram(unitRows(a.data), a.data.length);
  return ledger.symmetricGaussian(moment, sensitivity, noise_scale, diagonal_variance);
}

/** Have every user say x x^T with noise, and return the mean of what they say. */
function meanOfMessages(a, ledger) {
  const { sensitivity, noise_scale, diagonal_variance } = a.constants;
  const matrices = unitRows(a.data).map((x) => outer(x, x));
  const said = ledger.symmetricGaussian(matrices, sensitivity, noise_scale, diagonal_variance);
  return scaled(1 / said.length, said.reduce(addMatrices));
}

/**
 * Return a basis of the eigenspaces of the largest eigenvalues, as columns. That of an eigenspace
 * begins with the projection of the first unit vector that is nearest to it: the sign of an
 * eigenvector is such that its largest entry is positive.
 */
function topEigenvectors(matrix, count) {
  const { values, vectors } = eigen(matrix);
  const close = 1e-9 * Math.max(...values.map(Math.abs));
  const basis = [];
  for (let start = 0; basis.length < count;) {
    let end = start + 1;
    while (end < values.length && values[end - 1] - values[end] <= close) end++;
    basis.push(...pivotedBasis(vectors.slice(start, end)));
    start = end;
  }
  return transpose(basis.slice(0, count));
}

/** Return the basis of a span that depends on nothing else, from any orthonormal one. */
function pivotedBasis(vectors) {
  const basis = [];
  for (let space = vectors; space.length > 0;) {
    const nearness = space[0].map((_, j) => Math.hypot(...space.map((v) => v[j])));
    const nearest = Math.max(...nearness);
    const j = nearness.findIndex((x) => x >= nearest * (1 - 1e-9));
    const projection = space.map((v) => times(v[j], v)).reduce(plus);
    const unit = times(1 / norm(projection), projection);
    basis.push(unit);
    space = withoutDirection(space, unit);
  }
  return basis;
}

/** Return an orthonormal basis of what is orthogonal to a unit vector of a space. */
function withoutDirection(space, unit) {
  const left = [];
  const rest = space.map((v) => minus(v, times(dot(v, unit), unit)));
  while (left.length < space.length - 1) {
    const longest = argmax(rest.map(norm));
    const next = times(1 / norm(rest[longest]), rest[longest]);
    left.push(next);
    rest.forEach((v, i) => { rest[i] = minus(v, times(dot(v, next), next)); });
  }
  return left;
}

/** Algorithm 6.1.46. */
const localPca = (a, ledger) => topEigenvectors(meanOfMessages(a, ledger), a.n_components);

/** Lower values alike and cut them to [0, 1], so that they add up to k. */
function cappedWeights(values, k) {
  const total = (theta) => sum(values.map((x) => Math.max(0, Math.min(1, x - theta))));
  const breaks = values.flatMap((x) => [x, x - 1]).sort((x, y) => x - y);
  let right = breaks.findIndex((theta) => total(theta) <= k);
  if (right === 0) right = 1;
  const [low, high] = [breaks[right - 1], breaks[right]];
  const drop = total(low) - total(high);
  const theta = drop > 0 ? low + ((total(low) - k) / drop) * (high - low) : high;
  return values.map((x) => Math.max(0, Math.min(1, x - theta)));
}

/** Project on the Fantope: matrices with eigenvalues in [0, 1] that add up to k. */
function projectOnFantope(matrix, k) {
  const { values, vectors } = eigen(matrix);
  const weights = cappedWeights(values, k);
  return vectors.map((v, i) => scaled(weights[i], outer(v, v))).reduce(addMatrices);
}

/** Return a bound on the largest entry of noise and sampling error, right with probability .95. */
function defaultPenalty({ data, constants }, p) {
  const { noise_scale, diagonal_variance } = constants;
  const largest = noise_scale * Math.sqrt(Math.max(1, diagonal_variance));
  const log = Math.log((2 * p * (p + 1)) / 0.05);
  return largest * Math.sqrt((2 * log) / data.length) + Math.sqrt(log / (2 * data.length));
}

/** Algorithm 6.1.47. */
function sparsePca(a, ledger) {
  const s = meanOfMessages(a, ledger);
  const penalty = a.penalty ?? defaultPenalty(a, s.length);
  if (penalty === 0) return topEigenvectors(s, a.n_components);
  return topEigenvectors(penalisedProjection(s, a.n_components, penalty).sparse, a.n_components);
}

/**
 * Return where <S, X> - penalty sum |X_ij| is largest over the Fantope, by ADMM: `feasible` is in
 * it, and `sparse` has zeros.
 */
function penalisedProjection(s, rank, penalty) {
  if (s.every((row, i) => row.every((x, j) => i === j || Math.abs(x) <= penalty))) {
    const largest = new Set(order(s.map((row, i) => -row[i])).slice(0, rank)); // of unit vectors
    const found = s.map((row, i) => row.map((_, j) => (i === j && largest.has(i) ? 1 : 0)));
    return { feasible: found, sparse: found };
  }
  const rho = Math.max(...s.flat().map(Math.abs));
  let y = each(() => 0, s);
  let [u, feasible] = [y, y];
  for (let t = 0; t < 20000; t++) {
    feasible = projectOnFantope(addMatrices(subtractMatrices(y, u), scaled(1 / rho, s)), rank);
    const sumXu = addMatrices(feasible, u);
    const next = sumXu.map((row) => soft(row, penalty / rho));
    u = subtractMatrices(sumXu, next);
    const gap = Math.max(norm(subtractMatrices(feasible, next).flat()),
      norm(subtractMatrices(next, y).flat()));
    y = next;
    if (gap <= 1e-10) break;
  }
  return { feasible, sparse: y };
}

/** Return how far <S, X> - penalty |X|_1 may be below its maximum, by a dual matrix, cut. */
function dualityGap({ feasible, dual, matrix, rank, penalty }) {
  const cut = each((s, w) => s - clamp(w, penalty), matrix, dual);
  const objective = each((s, x) => s * x - penalty * Math.abs(x), matrix, feasible);
  return sum(eigen(cut).values.slice(0, rank)) - sum(objective.flat());
}

/** Return the largest violation of X^-1 = S + penalty W, W a subgradient of sum |X_ij|. */
function graphicalLassoGap({ theta, second_moment: s, penalty }) {
  const columns = identity(theta.length).map((e) => solve(theta, e)); // symmetric, as theta is
  const violation = (slack, x) =>
    x === 0 ? Math.max(0, Math.abs(slack) - penalty) : Math.abs(slack - penalty * Math.sign(x));
  return Math.max(...each(violation, subtractMatrices(columns, s), theta).flat());
}

/** Algorithms 6.2.48 and 6.2.49: small entries become 0, then negative eigenvalues. */
function thresholding(noisy, threshold) {
  const thresholded = each((x) => (Math.abs(x) > threshold ? x : 0), noisy);
  return { thresholded, positive: positivePart(thresholded) };
}

/**
 * Return argmin of -log det X + <S, X> + penalty sum |X_ij| by ADMM, refined by Newton steps on
 * the entries that are not 0.
 */
function graphicalLasso(s, penalty) {
  const d = s.length;
  let mu = 1;
  let z = identity(d);
  let u = each(() => 0, z);
  for (let t = 0; t < 100000; t++) {
    const target = subtractMatrices(scaled(mu, subtractMatrices(z, u)), s);
    const x = spectral(target, (w) => (w + Math.sqrt(w * w + 4 * mu)) / (2 * mu));
    const sumXu = addMatrices(x, u);
    const next = sumXu.map((row) => soft(row, penalty / mu));
    u = subtractMatrices(sumXu, next);
    const primal = norm(subtractMatrices(x, next).flat());
    const dual = mu * norm(subtractMatrices(next, z).flat());
    z = next;
    const size = norm(z.flat());
    if (primal <= 1e-13 * size && dual <= 1e-13 * Math.max(norm(s.flat()), penalty)) break;
    if (t % 20 === 19 && primal > 10 * dual) [mu, u] = [2 * mu, scaled(0.5, u)];
    if (t % 20 === 19 && dual > 10 * primal) [mu, u] = [mu / 2, scaled(2, u)];
  }
  return z;
}

/** Estimate a sparse inverse of a moment that noise may have made indefinite. */
const precision = (moment, penalty) => graphicalLasso(positivePart(moment), penalty);

const symmetricPart = (m) => m.map((row, i) => row.map((x, j) => (x + m[j][i]) / 2));

/** Independent noise on all entries, made symmetric afterwards. */
function sulq(a, ledger) {
  const moment = gram(unitRows(a.data), a.data.length);
  const noisy = ledger.gaussian(moment, a.constants.sensitivity, a.constants.noise_scale);
  return precision(symmetricPart(noisy), a.penalty);
}

/** Algorithm 6.3.50 with Laplace noise: eigenvalues are cut to where any minimiser has them. */
function outputPerturbation(a, ledger) {
  const moment = gram(unitRows(a.data), a.data.length);
  const { sensitivity, noise_scale } = a.constants;
  const noisy =
    ledger.symmetricLaplace(graphicalLasso(moment, a.penalty), sensitivity, noise_scale);
  const [low, high] = [1 / (1 + a.penalty * moment.length), moment.length / a.penalty];
  return spectral(noisy, (x) => Math.max(low, Math.min(high, x)));
}

/** Algorithm 6.3.51 with Laplace noise. */
function laplacePerturbation(a, ledger) {
  const moment = gram(unitRows(a.data), a.data.length);
  const { sensitivity, noise_scale } = a.constants;
  return precision(ledger.symmetricLaplace(moment, sensitivity, noise_scale), a.penalty);
}

/** Algorithm 6.3.51 with the noise of Theorem 6.3.6. */
function wishartPerturbation(a, ledger) {
  const moment = gram(unitRows(a.data), a.data.length);
  const { sensitivity, noise_scale, degrees } = a.constants;
  return precision(ledger.wishart(moment, sensitivity, noise_scale, degrees), a.penalty);
}

const algorithms = {
  "diss-6.1.46": localPca,
  "diss-6.1.47": sparsePca,
  "diss-6.2-NAIVE": noisyMoment,
  "diss-6.2.48": (a, ledger) => thresholding(noisyMoment(a, ledger), a.constants.threshold),
  "diss-6.2.49": (a, ledger) => thresholding(meanOfMessages(a, ledger), a.constants.threshold),
  "diss-6.3-SULQ": sulq,
  "diss-6.3.50": outputPerturbation,
  "diss-6.3.51-G": (a, ledger) => precision(noisyMoment(a, ledger), a.penalty),
  "diss-6.3.51-L": laplacePerturbation,
  "diss-6.3.51-W1": laplacePerturbation,
  "diss-6.3.51-W2": wishartPerturbation,
  "diss-6.3.52": (a, ledger) =>
    "delta" in a ? wishartPerturbation(a, ledger) : laplacePerturbation(a, ledger),
  "diss-6.3.53": (a, ledger) => precision(meanOfMessages(a, ledger), a.penalty),
};

/** Noise for the upper triangle of x x^T, which moves by sqrt(2), over n for the mean. */
function momentConstants(a, n) {
  const sensitivity = Math.SQRT2 / n;
  const noise_scale = gaussianScale(sensitivity, a);
  return { sensitivity, noise_scale, diagonal_variance: 1 };
}

/** 2 sqrt(log p/n) for sampling and four deviations of the noise of the mean. */
function thresholdConstants(a, n, found = momentConstants(a, n)) {
  const largest = found.noise_scale * Math.sqrt(Math.max(1, found.diagonal_variance));
  const deviation = largest / Math.sqrt(a.n / n); // of n = 1 messages, a.n are averaged
  const root = Math.sqrt(Math.log(a.dimension));
  return { ...found, threshold: root * (2 / Math.sqrt(a.n) + 4 * deviation) };
}

/** The upper triangle of a moment moves by sqrt(d (d + 3)/2)/n in l1, by 1/n for d = 1. */
function laplaceConstants(a) {
  const d = a.dimension;
  const sensitivity = (d === 1 ? 1 : Math.sqrt((d * (d + 3)) / 2)) / a.n;
  return { sensitivity, noise_scale: sensitivity / a.epsilon };
}

/** The literature's noise, or what is needed if that is more. */
function sulqConstants(a) {
  const { sensitivity, noise_scale } = momentConstants(a, a.n);
  const usual = (Math.sqrt(8) * a.dimension * Math.log(a.dimension / a.delta)) / (a.n * a.epsilon);
  return { sensitivity, noise_scale: Math.max(usual, noise_scale) };
}

const constants = {
  "diss-6.3-SULQ": sulqConstants,
  "diss-6.3.51-L": laplaceConstants,
  "diss-6.3.51-W1": laplaceConstants,
  "diss-6.3.52": laplaceConstants,
  "diss-6.1.46": (a) => momentConstants(a, 1),
  "diss-6.1.47": (a) => momentConstants(a, 1),
  "diss-6.2-NAIVE": (a) => momentConstants(a, a.n),
  "diss-6.2.48": (a) => thresholdConstants(a, a.n),
  "diss-6.2.49": (a) => thresholdConstants(a, 1),
  "diss-6.3.51-G": (a) => momentConstants(a, a.n),
  "diss-6.3.53": (a) => momentConstants(a, 1),
};

module.exports = {
  algorithms, constants, cappedWeights, dualityGap, graphicalLasso, graphicalLassoGap,
  penalisedProjection, pivotedBasis, positivePart, projectOnFantope, thresholdConstants,
  topEigenvectors,
};
