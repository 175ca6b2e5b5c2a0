"use strict";
// Means and minimisers where records have a few moments and nothing more.

const {
  argmax, dot, mean, minus, norm, norm1, plus, range, sum, times, zeros,
} = require("./linear-algebra.js");
const { gaussianScale, largestRho, peelingScale, selectionEpsilon, zcdpOf } = require("./accounting.js");
const { block, roundingFactor } = require("./em.js");
const { lossOf } = require("./losses.js");
const { clamp, clampAll } = require("./models.js");
const { scaleDown, setOf } = require("./sets.js");
const { HIGHEST, robustMean, smoothedTruncation } = require("./truncation.js");

/** Wang et al. 2020, (16) and (18). */
function privateMean(a, ledger) {
  const { truncation_scale: s, precision, sensitivity, noise_scale } = a.constants;
  const bounded = a.data.map((x) => smoothedTruncation(x, s, precision));
  return ledger.gaussian(sum(bounded) / a.data.length, sensitivity, noise_scale);
}

/** Wang et al. 2020, (21): every user adds noise. */
function localPrivateMean(a, ledger) {
  const { truncation_scale: s, precision, sensitivity, noise_scale } = a.constants;
  const said = a.data.map((x) => smoothedTruncation(x, s, precision));
  const noisy = ledger.gaussian(said, sensitivity, noise_scale);
  return sum(noisy) / noisy.length;
}

/** Select a vertex v by the exponential mechanism with scores -<v, g>. */
function selectVertex(constraint, g, sensitivity, epsilon, ledger) {
  const vertices = constraint.vertices(g.length);
  return vertices[ledger.exponential(vertices.map((v) => -dot(v, g)), sensitivity, epsilon)];
}

/** The same with scores -<v - v_1, g>, v_1 the first vertex, whose size is that of the set. */
function selectByDifference(constraint, g, sensitivity, epsilon, ledger) {
  const vertices = constraint.vertices(g.length);
  const scores = vertices.map((v) => -dot(minus(v, vertices[0]), g));
  return vertices[ledger.exponential(scores, sensitivity, epsilon)];
}

const towards = (w, v, step) => plus(times(1 - step, w), times(step, v));

/** Hu et al. 2022, Algorithm 1. */
function frankWolfe(a, ledger) {
  const [loss, constraint] = [lossOf(a.loss), setOf(a.constraint)];
  const records = loss.records(a.data);
  let w = a.initial;
  for (let t = 1; t <= a.n_iterations; t++) {
    const gradients = block(records, t - 1, a.n_iterations).map((z) => loss.gradient(z, w));
    const g = robustMean(gradients, a.truncation_scale, a.precision ?? 1);
    const { sensitivity, step_epsilon } = a.constants;
    const v = selectByDifference(constraint, g, sensitivity, step_epsilon, ledger);
    w = towards(w, v, a.step_size ?? 2 / (t + 2));
  }
  return w;
}

const shrunk = ({ features, labels }, level) =>
  features.map((x, i) => ({ x: clampAll(x, level), y: clamp(labels[i], level) }));

/** Hu et al. 2022, Algorithm 2. */
function lasso(a, ledger) {
  const records = shrunk(a.data, a.truncation_level);
  const constraint = setOf({ type: "L1Ball", radius: a.radius ?? 1 });
  let w = a.initial ?? zeros(records[0].x.length);
  for (let t = 1; t <= a.n_iterations; t++) {
    const g = mean(records.map(({ x, y }) => times(2 * (dot(x, w) - y), x)));
    const { sensitivity, step_epsilon } = a.constants;
    w = towards(w, selectVertex(constraint, g, sensitivity, step_epsilon, ledger), 2 / (t + 2));
  }
  return w;
}

/** Release w - step by noisy hard thresholding. */
function thresholded(w, step, sparsity, constants, ledger) {
  const factor = roundingFactor(w, constants.sensitivity);
  const [indices, numbers] = ledger.peeling(
    minus(w, step), sparsity, factor * constants.sensitivity, factor * constants.noise_scale);
  const next = zeros(w.length);
  indices.forEach((j, i) => { next[j] = numbers[i]; });
  return next;
}

/** Hu et al. 2022, Algorithm 3. */
function sparseRegression(a, ledger) {
  const records = shrunk(a.data, a.truncation_level);
  let w = a.initial ?? zeros(records[0].x.length);
  for (let t = 0; t < a.n_iterations; t++) {
    const g = mean(block(records, t, a.n_iterations).map(({ x, y }) => times(dot(x, w) - y, x)));
    w = thresholded(w, times(a.step_size, g), a.sparsity, a.constants, ledger);
    w = times(1 / Math.max(1, norm(w)), w);
  }
  return w;
}

/** Hu et al. 2022, Algorithm 5. */
function sparseOptimisation(a, ledger) {
  const loss = lossOf(a.loss);
  const records = loss.records(a.data);
  let w = a.initial;
  for (let t = 0; t < a.n_iterations; t++) {
    const gradients = block(records, t, a.n_iterations).map((z) => loss.gradient(z, w));
    const g = robustMean(gradients, a.truncation_scale, a.precision ?? 1);
    w = thresholded(w, times(a.step_size, g), a.sparsity, a.constants, ledger);
    w = scaleDown(w, a.radius ?? Infinity);
  }
  return w;
}

/** One selection of Frank and Wolfe. */
function vertexSelection(a, ledger) {
  const g = mean(a.data.map((row) => clampAll(row, a.bound)));
  const constraint = setOf(a.constraint);
  const sensitivity = (diameter1(constraint, g.length) * 2 * a.bound) / a.data.length;
  return selectByDifference(constraint, g, sensitivity, a.epsilon, ledger);
}

/** Return the l1 diameter of the hull of finitely many points. */
function diameter1(constraint, d) {
  const points = constraint.vertices(d);
  return Math.max(...points.flatMap((v) => points.map((w) => norm1(minus(v, w)))));
}

/**
 * Return the smooth sensitivity of a trimmed mean that is cut to [lower, upper]: the largest over
 * k of e^(-k t) times what changing k + 1 records can do to it.
 */
function smoothBound(sorted, { lower, upper, trim: m }, t) {
  const n = sorted.length;
  const at = (rank) => sorted[rank - 1];
  let largest = Math.exp(-m * t) * (upper - lower);
  for (let k = 0; k < m; k++) {
    const gaps = range(k + 2).map((l) => at(n - m + 1 + k - l) - at(m + 1 - l));
    const local = Math.min(upper - lower, Math.max(...gaps) / (n - 2 * m));
    largest = Math.max(largest, Math.exp(-k * t) * local);
  }
  return largest + 2 ** -50 * Math.max(Math.abs(lower), Math.abs(upper)); // two means, rounded
}

/** Wang 2020, Algorithm 3.2.6, with the smooth sensitivity itself. */
function trimmedMean(data, a, { smoothness, divisor }, ledger) {
  const sorted = [...data].sort((x, y) => x - y);
  const kept = sorted.slice(a.trim, sorted.length - a.trim);
  const value = Math.max(a.lower, Math.min(a.upper, sum(kept) / kept.length));
  return ledger.smooth(value, smoothBound(sorted, a, smoothness), divisor);
}

const trimmedMeanConstants = (epsilon) => ({ smoothness: epsilon ** 2 / 16, divisor: epsilon / 4 });

const finite = (x) => (Number.isNaN(x) ? 0 : clamp(x, 1e100));

/** Wang 2020, Algorithm 3.2.7: every partial derivative is a trimmed mean. */
function knownMeanGradientDescent(a, ledger) {
  const [loss, constraint] = [lossOf(a.loss), setOf(a.constraint)];
  const records = loss.records(a.data);
  const constants = trimmedMeanConstants(a.constants.step_epsilon);
  let w = a.initial;
  for (let t = 0; t < a.n_iterations; t++) {
    const gradients = records.map((z) => loss.gradient(z, w).map(finite));
    const g = w.map((_, j) => trimmedMean(gradients.map((row) => row[j]), a, constants, ledger));
    w = constraint.project(minus(w, times(a.step_size, g)));
  }
  return w;
}

/** A step of Wang 2020, Algorithm 3.2.8. */
function robustStep(w, step, loss, constraint, records, constants, ledger) {
  const { truncation_scale: s, precision, sensitivity, noise_scale } = constants;
  const value = robustMean(records.map((z) => loss.gradient(z, w)), s, precision);
  const g = ledger.gaussian(value, sensitivity, noise_scale);
  return constraint.project(minus(w, times(step, g)));
}

function knownVarianceGradientDescent(a, ledger) {
  const [loss, constraint] = [lossOf(a.loss), setOf(a.constraint)];
  const records = loss.records(a.data);
  let w = a.initial;
  for (let t = 0; t < a.n_iterations; t++) {
    w = robustStep(w, a.step_size, loss, constraint, records, a.constants, ledger);
  }
  return w;
}

/** The same in one pass over batches, with falling steps; the average of the iterates. */
function stochasticGradientDescent(a, ledger) {
  const [loss, constraint] = [lossOf(a.loss), setOf(a.constraint)];
  const records = loss.records(a.data);
  const iterates = [];
  let w = a.initial;
  for (let t = 1; t * a.batch_size <= records.length; t++) {
    const batch = records.slice((t - 1) * a.batch_size, t * a.batch_size);
    const step = (a.step_size ?? 1) / Math.sqrt(t);
    w = robustStep(w, step, loss, constraint, batch, a.constants, ledger);
    iterates.push(w);
  }
  return mean(iterates);
}

/** Return the estimates of all blocks, cut to the ball of the given diameter. */
function blockMeans(a, blocks) {
  const rows = a.data.map((x) => (Array.isArray(x) ? x : [x]));
  return blocks.map((indices) => {
    const entries = mean(indices.map((i) => rows[i])).map((x) => (Number.isNaN(x) ? 0 : x));
    return scaleDown(clampAll(entries, a.diameter / 2), a.diameter / 2);
  });
}

/** Wang 2020, Algorithm 3.2.5: release the estimate around which most others are. */
function sampleAndAggregate(a, ledger) {
  const m = a.n_blocks;
  const size = Math.floor(a.data.length / m);
  const disjoint = a.disjoint ?? true;
  const blocks = disjoint ? range(m).map((k) => range(size).map((i) => k * size + i)) : ledger.public();
  const s = disjoint ? 1 : Math.floor(Math.sqrt(m)); // blocks that one record is in
  const estimates = blockMeans(a, blocks);
  const radii = estimates.map((e) =>
    estimates.map((other) => norm(minus(e, other))).sort((x, y) => x - y));
  const t0 = Math.floor((m + s) / 2) + 1;
  const centre = argmax(radii.map((r) => -r[t0 - 1]));
  const { decay, divisor } = a.constants;
  const count = Math.ceil(s / decay);
  let largest = 0;
  for (let k = 0; ; k++) {
    const t = t0 + (k + 1) * s;
    const weight = Math.exp(-decay * k);
    if (t > m) {
      largest = Math.max(largest, a.diameter * weight);
      break;
    }
    const smallest = radii.map((r) => r[t - 1]).sort((x, y) => x - y).slice(0, count);
    largest = Math.max(largest, (sum(smallest) / count) * weight);
  }
  return ledger.smooth(estimates[centre], 2 * largest, divisor, "gaussian");
}

const algorithms = {
  "diss-3.2.5": sampleAndAggregate,
  "wang-mean": privateMean,
  "wang-ldp-mean": localPrivateMean,
  "hu-1": frankWolfe,
  "hu-2": lasso,
  "hu-3": sparseRegression,
  "hu-5": sparseOptimisation,
  "hu-expmech": vertexSelection,
  "diss-3.2.6": (a, ledger) => trimmedMean(a.data, a, a.constants, ledger),
  "diss-3.2.7": knownMeanGradientDescent,
  "diss-3.2.8": knownVarianceGradientDescent,
  "diss-RGD": stochasticGradientDescent,
};

/** The T2' rule: the square root of log(1/zeta) in s. */
function meanScale(a) {
  const [zeta, delta] = [Math.log(1 / a.failure_probability), Math.log(1 / a.delta)];
  return { precision: Math.sqrt(zeta), over: Math.sqrt(zeta) * delta ** 0.25 };
}

/** A mean of truncated values moves by twice the bound of one, over n. */
const meanSensitivity = (scale, n) => (2 * HIGHEST * scale) / n;

function robustConstants(a, truncation_scale, precision, records, releases, dimension) {
  const sensitivity = meanSensitivity(truncation_scale, records) * Math.sqrt(dimension);
  const noise_scale = gaussianScale(sensitivity, a, releases);
  return { truncation_scale, precision, sensitivity, noise_scale };
}

function knownVarianceConstants(a) {
  const log = Math.log(1 / a.failure_probability);
  const scale = Math.sqrt((a.n * a.second_moment) / (2 * log));
  return robustConstants(a, scale, log, a.n, a.n_iterations, a.dimension);
}

const constants = {
  "wang-mean"(a) {
    const { precision, over } = meanScale(a);
    const scale = Math.sqrt(a.n * a.epsilon * a.second_moment) / over;
    return robustConstants(a, scale, precision, a.n, 1, 1);
  },
  "wang-ldp-mean"(a) {
    const { precision, over } = meanScale(a);
    const scale = (a.n ** 0.25 * Math.sqrt(a.epsilon * a.second_moment)) / over;
    return robustConstants(a, scale, precision, 1, 1, 1);
  },
  "hu-1"(a) {
    const sensitivity = (a.diameter * 2 * HIGHEST * a.truncation_scale) / a.batch_size;
    return { sensitivity, step_epsilon: a.epsilon };
  },
  "hu-2"(a) {
    const sensitivity = (4 * a.radius * (1 + a.radius) * a.truncation_level ** 2) / a.n;
    return { sensitivity, step_epsilon: selectionEpsilon(a, a.n_iterations) };
  },
  "diss-3.2.5"(a) {
    const log = Math.log(2 / a.delta);
    return {
      divisor: a.epsilon / (5 * Math.sqrt(2 * log)),
      decay: a.epsilon / (4 * (a.dimension + log)),
    };
  },
  "hu-3"(a) {
    const entry = a.truncation_level ** 2 * (Math.sqrt(a.sparsity) + 1);
    const sensitivity = (2 * a.step_size * entry) / a.batch_size;
    return { sensitivity, noise_scale: peelingScale(sensitivity, a) };
  },
  "hu-5"(a) {
    const sensitivity = (2 * HIGHEST * a.truncation_scale * a.step_size) / a.batch_size;
    return { sensitivity, noise_scale: peelingScale(sensitivity, a) };
  },
  "diss-3.2.6": (a) => ({ ...trimmedMeanConstants(a.epsilon), rho: a.epsilon ** 2 / 2 }),
  "diss-3.2.7"(a) {
    const rho = a.method === "accountant" ? largestRho : zcdpOf;
    const root = Math.sqrt(2 * rho(a.epsilon, a.delta));
    return { step_epsilon: root / Math.sqrt(a.dimension * a.n_iterations) };
  },
  "diss-3.2.8": knownVarianceConstants,
  "diss-RGD": knownVarianceConstants,
};

module.exports = { algorithms, constants, meanSensitivity, robustConstants };
