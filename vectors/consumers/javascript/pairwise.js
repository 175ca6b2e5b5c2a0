"use strict";
// Learning from pairs of records (Wang 2020, section 3.3).

const { apply, dot, mean, minus, norm, outer, plus, range, times } =
  require("./linear-algebra.js");
const { gaussianScale } = require("./accounting.js");
const { logistic } = require("./special-functions.js");
const { scaleDown, setOf } = require("./sets.js");

const cutRows = ({ features, labels }, bound) =>
  features.map((x, i) => ({ x: scaleDown(x, bound), y: labels[i] }));

const LOSSES = {
  /** ||w - (x + x')/2||^2/2. */
  Midpoint: ({ feature_bound: bound }) => ({
    records: (data) => data.map((x) => scaleDown(x, bound)),
    gradient: (w, x, other) => minus(w, times(0.5, plus(x, other))),
  }),
  /** log(1 + exp(-(y - y') <w, x - x'>)). */
  AUC: ({ feature_bound: bound }) => ({
    records: (data) => cutRows(data, bound),
    gradient(w, z, other) {
      const [a, y] = [minus(z.x, other.x), z.y - other.y];
      return times(-y * logistic(-y * dot(w, a)), a);
    },
  }),
  /** log(1 + exp(-y y' (1 - a^T W a))), a = x - x', W row by row. */
  MetricLearning: ({ feature_bound: bound }) => ({
    records: (data) => cutRows(data, bound),
    gradient(w, z, other) {
      const [a, y] = [minus(z.x, other.x), z.y * other.y];
      const d = a.length;
      const rows = range(d).map((i) => w.slice(i * d, (i + 1) * d));
      const s = logistic(-y * (1 - dot(a, apply(rows, a))));
      return times(y * s, outer(a, a).flat());
    },
  }),
  /** Another loss plus strength ||w - centre||^2/2. */
  Regularized({ loss: inner, strength, centre }) {
    const loss = lossOf(inner);
    return {
      records: loss.records,
      gradient: (w, z, other) =>
        plus(loss.gradient(w, z, other), times(strength, minus(w, centre))),
    };
  },
};
const lossOf = (object) => LOSSES[object.type](object);

/** Return the mean gradient of the pairs of a record with some others. */
const pairGradient = (loss, w, z, others) =>
  mean(others.map((other) => loss.gradient(w, z, other)));

/** Return the points of the path, w_1 to w_n: the first ones stay where they start. */
function path(a, loss, constraint, others) {
  const records = loss.records(a.data);
  const { first_phase, step_size } = a.constants;
  let w = a.initial;
  return records.map((z, i) => {
    const t = i + 1;
    if (t > first_phase) {
      const g = pairGradient(loss, w, z, others(t).map((j) => records[j]));
      w = constraint.project(minus(w, times(step_size / t, g)));
    }
    return w;
  });
}

const everyOther = (t) => range(t - 1);

/** Algorithm 3.3.9: the path goes on without noise, and every point of it is released. */
function online(a, ledger, loss = lossOf(a.loss)) {
  return released(a, ledger, path(a, loss, setOf(a.constraint), everyOther), Infinity);
}

/** Release the points after the first phase, each with noise for its own sensitivity. */
function released(a, ledger, points, bufferSize) {
  const constraint = setOf(a.constraint);
  const { first_phase, pair_sensitivity, noise_multiplier } = a.constants;
  let reach = 0; // sensitivity over that of a pair: a step contracts by 1 - 2/t
  return points.map((w, i) => {
    const t = i + 1;
    if (t > 1) reach = (1 - 2 / t) * reach + 1 / (t * Math.min(bufferSize, t - 1));
    if (t <= first_phase) return w;
    const sensitivity = pair_sensitivity * reach;
    return constraint.project(ledger.gaussian(w, sensitivity, noise_multiplier * sensitivity));
  });
}

/** Algorithm 3.3.12: record t goes to the slot that is drawn for it, or nowhere. */
function finiteBuffer(a, ledger, loss = lossOf(a.loss)) {
  const slots = ledger.public();
  const buffers = [[]];
  slots.forEach((slot, t) => {
    const next = [...buffers[t]];
    if (slot >= 0) next[slot] = t;
    buffers.push(next);
  });
  const points = path(a, loss, setOf(a.constraint), (t) => buffers[t - 1]);
  return released(a, ledger, points, a.buffer_size);
}

/** Algorithm 3.3.14: one release of the average of the path. */
function offline(a, ledger, loss = lossOf(a.loss)) {
  const constraint = setOf(a.constraint);
  const average = mean(path(a, loss, constraint, everyOther));
  const { sensitivity, noise_scale } = a.constants;
  return constraint.project(ledger.gaussian(average, sensitivity, noise_scale));
}

const regularized = (algorithm) => (a, ledger) =>
  algorithm(a, ledger, LOSSES.Regularized({ loss: a.loss, strength: a.strength, centre: a.initial }));

const algorithms = {
  "diss-3.3.9": (a, ledger) => online(a, ledger),
  "diss-3.3.10": regularized(online),
  "diss-3.3.12": (a, ledger) => finiteBuffer(a, ledger),
  "diss-3.3.13": regularized(finiteBuffer),
  "diss-3.3.14": (a, ledger) => offline(a, ledger),
  "diss-3.3.15": regularized(offline),
};

/**
 * G and L on a ball: a regulariser adds strength times its diameter, or what a centre outside the
 * ball makes of that, and its strength.
 */
function boundsOf(loss, radius) {
  const bound = loss.feature_bound;
  if (loss.type === "Midpoint") return { slope: radius + bound, curvature: 1, convexity: 1 };
  if (loss.type === "Regularized") {
    const { slope, curvature, convexity } = boundsOf(loss.loss, radius);
    return {
      slope: slope + loss.strength * (radius + Math.max(radius, norm(loss.centre))),
      curvature: curvature + loss.strength,
      convexity: convexity + loss.strength,
    };
  }
  if (loss.type === "AUC") return { slope: 4 * bound, curvature: 4 * bound ** 2, convexity: 0 };
  const width = 4 * bound ** 2; // of a a^T; |a^T W a| is at most radius times it
  return { slope: width * logistic(1 + radius * width), curvature: width ** 2 / 4, convexity: 0 };
}

function stepConstants(a) {
  const { slope, curvature, convexity } = boundsOf(a.loss, a.radius);
  return {
    first_phase: Math.ceil(curvature / convexity),
    step_size: 2 / convexity,
    pair: (4 * slope) / convexity,
  };
}

function onlineConstants(a) {
  const { first_phase, step_size, pair } = stepConstants(a);
  const noise_multiplier = gaussianScale(1, a, a.n - first_phase);
  return { first_phase, step_size, pair_sensitivity: pair, noise_multiplier };
}

/** The average moves by the mean of 4 G/(alpha t) over the steps. */
function offlineConstants(a) {
  const { first_phase, step_size, pair } = stepConstants(a);
  const harmonic = range(a.n - first_phase).reduce((total, i) => total + 1 / (first_phase + 1 + i), 0);
  const sensitivity = (pair * harmonic) / a.n;
  const noise_scale = gaussianScale(sensitivity, a);
  return { first_phase, step_size, sensitivity, noise_scale };
}

const constants = {
  "diss-3.3.9": onlineConstants,
  "diss-3.3.10": onlineConstants,
  "diss-3.3.12": onlineConstants,
  "diss-3.3.13": onlineConstants,
  "diss-3.3.14": offlineConstants,
  "diss-3.3.15": offlineConstants,
};

module.exports = { algorithms, boundsOf, constants, lossOf, pairGradient };
