"use strict";
// Convex empirical risks: variance-reduced and accelerated gradients with noise.

const { mean, minus, plus, sum, times } = require("./linear-algebra.js");
const { gaussianScale } = require("./accounting.js");
const { lossOf, lipschitzOf, meanGradient, smoothnessOf } = require("./losses.js");
const { mirrorMapOf, regularizerOf, setOf } = require("./sets.js");

/** Return the records of a batch that is drawn, or all of them where the batch is all. */
function drawn(records, size, ledger) {
  return size < records.length ? ledger.subsample().map((i) => records[i]) : records;
}

/** Return the noisy gradient at a point, its variance reduced by that at a snapshot. */
function reducedGradient(loss, records, point, snapshot, full, constants, ledger) {
  const batch = drawn(records, constants.batch_size, ledger);
  const difference =
    minus(meanGradient(loss, batch, point), meanGradient(loss, batch, snapshot));
  return ledger.gaussian(plus(difference, full), constants.sensitivity, constants.noise_scale);
}

/** Wang 2020, Algorithm 3.1.1, and 3.1.3 where epochs double and go on from the last point. */
function svrg(a, ledger, doubling) {
  const [loss, regularizer] = [lossOf(a.loss), regularizerOf(a.regularizer)];
  const records = loss.records(a.data);
  const { step_size } = a.constants;
  let snapshot = a.initial;
  let x = a.initial;
  for (let s = 1; s <= a.n_epochs; s++) {
    const full = meanGradient(loss, records, snapshot);
    if (!doubling) x = snapshot;
    const visited = [];
    for (let t = 0; t < a.n_inner * (doubling ? 2 ** s : 1); t++) {
      const v = reducedGradient(loss, records, x, snapshot, full, a.constants, ledger);
      x = regularizer.prox(minus(x, times(step_size, v)), step_size);
      visited.push(x);
    }
    snapshot = mean(visited);
  }
  return snapshot;
}

/** Wang 2020, Algorithm 3.1.2, with noise in step 7. */
function katyusha(a, ledger) {
  const [loss, regularizer] = [lossOf(a.loss), regularizerOf(a.regularizer)];
  const records = loss.records(a.data);
  const { step_size, momentum: theta } = a.constants;
  const growth = 1 + step_size * a.strong_convexity;
  let [x, snapshot] = [a.initial, a.initial];
  for (let s = 0; s < a.n_epochs; s++) {
    const full = meanGradient(loss, records, snapshot);
    const [visited, weights] = [[], []];
    for (let t = 0; t < a.n_inner; t++) {
      const y = plus(times(theta, x), times(1 - theta, snapshot));
      const v = reducedGradient(loss, records, y, snapshot, full, a.constants, ledger);
      x = regularizer.prox(minus(x, times(step_size, v)), step_size);
      visited.push(times(growth ** t, x));
      weights.push(growth ** t);
    }
    const average = times(1 / sum(weights), visited.reduce(plus));
    snapshot = plus(times(theta, average), times(1 - theta, snapshot));
  }
  return snapshot;
}

/** Wang 2020, Algorithm 3.1.4, with the noisy gradient in both steps. */
function acceleratedMirrorDescent(a, ledger) {
  const [loss, map] = [lossOf(a.loss), mirrorMapOf(a.mirror_map)];
  const records = loss.records(a.data);
  const { sensitivity, noise_scale, smoothness } = a.constants;
  let [y, z] = [a.initial, a.initial];
  for (let k = 0; k < a.n_iterations; k++) {
    const alpha = (k + 2) / (4 * smoothness);
    const r = 2 / (k + 2);
    const x = plus(times(r, z), times(1 - r, y));
    const g = ledger.gaussian(meanGradient(loss, records, x), sensitivity, noise_scale);
    y = map.gradientStep(x, g, smoothness);
    z = map.mirrorStep(z, g, alpha);
  }
  return y;
}

/** Gradient descent without noise, and noise on its last iterate. */
function outputPerturbation(a, ledger) {
  const [loss, regularizer] = [lossOf(a.loss), regularizerOf(a.regularizer)];
  const records = loss.records(a.data);
  const { step_size, sensitivity, noise_scale } = a.constants;
  let x = a.initial;
  for (let t = 0; t < a.n_iterations; t++) {
    const g = plus(meanGradient(loss, records, x), regularizer.gradient(x));
    x = minus(x, times(step_size, g));
  }
  return ledger.gaussian(x, sensitivity, noise_scale);
}

/** Stochastic gradients with noise. */
function sgd(a, ledger) {
  const loss = lossOf(a.loss);
  const [constraint, regularizer] = [setOf(a.constraint), regularizerOf(a.regularizer)];
  const records = loss.records(a.data);
  const { batch_size, sensitivity, noise_scale, step_size, decay } = a.constants;
  let x = a.initial;
  for (let t = 1; t <= a.n_iterations; t++) {
    const g = meanGradient(loss, drawn(records, batch_size, ledger), x);
    const noisy = ledger.gaussian(g, sensitivity, noise_scale);
    const step = step_size / t ** decay;
    x = constraint.project(regularizer.prox(minus(x, times(step, noisy)), step));
  }
  return x;
}

const algorithms = {
  "diss-3.1.1": (a, ledger) => svrg(a, ledger, false),
  "diss-3.1.2": katyusha,
  "diss-3.1.3": (a, ledger) => svrg(a, ledger, true),
  "diss-3.1.4": acceleratedMirrorDescent,
  "diss-3.1.baselines": outputPerturbation,
  "diss-2.sgd-accountant": sgd,
};

const constants = {
  "diss-3.1.4"(a) {
    const sensitivity = (2 * lipschitzOf(a.loss)) / a.n;
    const noise_scale = gaussianScale(sensitivity, a, a.n_iterations);
    return { sensitivity, noise_scale, smoothness: 2 * smoothnessOf(a.loss) * (2 * a.radius) ** 2 };
  },
  /** Steps of size 1/(L + mu) bring points closer by 1 - mu step. */
  "diss-3.1.baselines"(a) {
    const [mu, slope] = [a.strong_convexity, lipschitzOf(a.loss)];
    const step_size = 1 / (smoothnessOf(a.loss) + mu);
    const reach = mu > 0 ? (1 - (1 - step_size * mu) ** a.n_iterations) / mu
      : step_size * a.n_iterations;
    const sensitivity = ((2 * slope) / a.n) * reach;
    return { step_size, sensitivity, noise_scale: gaussianScale(sensitivity, a) };
  },
};

module.exports = { algorithms, constants, drawn };
