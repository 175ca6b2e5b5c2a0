"use strict";
// Constraint sets, regularisers and mirror maps, by their types in the inputs.

const {
  argmax, dot, eigen, minus, norm, norm1, order, outer, plus, range, sum, times, zeros,
} = require("./linear-algebra.js");

const soft = (v, level) => v.map((x) => Math.sign(x) * Math.max(0, Math.abs(x) - level));

function scaleDown(x, radius) {
  const size = norm(x);
  return size > radius ? times(radius / size, x) : x;
}

/** Soft-threshold at the level that brings the l1 norm down to the radius. */
function projectOnL1(x, radius) {
  if (norm1(x) <= radius) return x;
  const top = Math.max(...x.map(Math.abs));
  const below = x.map((v) => Math.abs(v) - top); // so that a huge entry does not swallow the radius
  let [total, level] = [0, 0];
  [...below].sort((a, b) => b - a).forEach((size, k) => {
    total += size;
    const candidate = (total - radius) / (k + 1);
    if (size > candidate) level = candidate;
  });
  return x.map((v, j) => Math.sign(v) * Math.max(0, below[j] - level));
}

/** Keep the largest entries, the first of equal ones. */
function keepLargest(x, count) {
  const kept = new Set(order(x.map((v) => -Math.abs(v))).slice(0, count));
  return x.map((v, j) => (kept.has(j) ? v : 0));
}

/** Cut off the negative eigenvalues of a matrix that is given row by row, then scale it down. */
function projectOnSemidefinite(x, radius) {
  const d = Math.round(Math.sqrt(x.length));
  const symmetric = range(d).map((i) => range(d).map((j) => (x[i * d + j] + x[j * d + i]) / 2));
  const { values, vectors } = eigen(symmetric);
  const parts = vectors.map((v, k) => outer(times(Math.max(0, values[k]), v), v).flat());
  return scaleDown(parts.reduce(plus), radius);
}

const unit = (d, j, size) => zeros(d).map((_, k) => (k === j ? size : 0));

/** The vertices of the l1 ball are +R e_1, ..., +R e_d, -R e_1, ..., -R e_d. */
const L1Ball = ({ radius }) => ({
  radius,
  project: (x) => projectOnL1(x, radius),
  vertices: (d) => [...range(d).map((j) => unit(d, j, radius)),
    ...range(d).map((j) => unit(d, j, -radius))],
  linearMinimizer(g) {
    const j = argmax(g.map(Math.abs));
    return unit(g.length, j, -radius * Math.sign(g[j]));
  },
});

const L2Ball = ({ radius }) => ({
  radius,
  project: (x) => scaleDown(x, radius),
  linearMinimizer: (g) => (norm(g) > 0 ? times(-radius / norm(g), g) : g),
});

const Polytope = ({ points }) => ({
  vertices: () => points,
  linearMinimizer: (g) => points[argmax(points.map((v) => -dot(v, g)))],
});

const SETS = {
  L1Ball,
  L2Ball,
  Polytope,
  SparseVectors: ({ sparsity }) => ({ project: (x) => keepLargest(x, sparsity) }),
  PositiveSemidefiniteBall: ({ radius }) => ({
    radius,
    project: (x) => projectOnSemidefinite(x, radius),
  }),
};
const setOf = (object) => SETS[object.type](object);

/** prox(point, step) = argmin ||u - point||^2/2 + step r(u). */
const REGULARIZERS = {
  NoRegularizer: () => ({ prox: (x) => x, gradient: (x) => zeros(x.length), value: () => 0 }),
  L1Norm: ({ weight }) => ({
    prox: (x, step) => soft(x, step * weight),
    value: (x) => weight * norm1(x),
  }),
  Ridge: ({ strength }) => ({
    prox: (x, step) => times(1 / (1 + step * strength), x),
    gradient: (x) => times(strength, x),
    value: (x) => (strength / 2) * dot(x, x),
  }),
};
const regularizerOf = (object) =>
  REGULARIZERS[object?.type ?? "NoRegularizer"](object ?? {});

/** w(x) = ||x||_2^2/(2 R^2) on the l2 ball. */
const Euclidean = ({ radius }) => ({
  value: (x) => dot(x, x) / (2 * radius ** 2),
  gradient: (x) => times(1 / radius ** 2, x),
  gradientStep: (x, g, smoothness) =>
    scaleDown(minus(x, times(radius ** 2 / smoothness, g)), radius),
  mirrorStep: (z, g, step, weight = 0) =>
    scaleDown(soft(minus(z, times(step * radius ** 2, g)), step * radius ** 2 * weight), radius),
});

/** w(x) = (a/2) ||x||_q^2 on the l1 ball, q = 1 + 1/log p. */
function QNorm({ radius }) {
  const constants = (p) => {
    const q = 1 + 1 / Math.log(p);
    return { q, a: (Math.log(p) * p ** (2 / (1 + Math.log(p)))) / radius ** 2 };
  };
  const size = (v, q) => {
    const largest = Math.max(...v.map(Math.abs));
    return largest === 0 ? 0 : largest * sum(v.map((x) => (Math.abs(x) / largest) ** q)) ** (1 / q);
  };
  /** Gradient of (factor/2) ||v||_q^2. */
  const slope = (v, q, factor) => {
    const s = size(v, q);
    return v.map((x) => (s === 0 ? 0 : factor * s * Math.sign(x) * (Math.abs(x) / s) ** (q - 1)));
  };
  return {
    value(x) {
      const { q, a } = constants(x.length);
      return (a / 2) * size(x, q) ** 2;
    },
    gradient(x) {
      const { q, a } = constants(x.length);
      return slope(x, q, a);
    },
    gradientStep: (x, g, smoothness) => stepInL1(x, g, smoothness, radius),
    mirrorStep(z, g, step, weight = 0) {
      const { q, a } = constants(z.length);
      const dual = soft(minus(slope(z, q, a), times(step, g)), step * weight);
      const primal = (level) => slope(soft(dual, level), q / (q - 1), 1 / a);
      if (norm1(primal(0)) <= radius) return primal(0);
      let [low, high] = [0, Math.max(...dual.map(Math.abs))];
      for (let k = 0; k < 200; k++) {
        const middle = (low + high) / 2;
        if (norm1(primal(middle)) > radius) low = middle;
        else high = middle;
      }
      return primal(high);
    },
  };
}

/**
 * Return argmin over the l1 ball of (smoothness/(2 R^2)) ||y - x||_1^2 + <g, y>.
 *
 * Moving t of l1 length gains at falling rates: |g_J| while mass goes to the coordinate J of the
 * largest |g| within the ball; then (|g_J| + s_i g_i)/2 where it is taken from entry i of sign s_i.
 */
function stepInL1(x, g, smoothness, radius) {
  const y = [...x];
  const best = argmax(g.map(Math.abs));
  const toward = -Math.sign(g[best]);
  if (toward === 0) return y;
  let moved = 0;
  /** Move on by at most `length`, at a rate; return how much was moved. */
  const move = (length, rate) => {
    const step = Math.max(0, Math.min(length, (rate * radius ** 2) / smoothness - moved));
    moved += step;
    return step;
  };
  const top = Math.abs(g[best]);
  const wrong = Math.max(0, -toward * y[best]); // going through 0 makes room first
  const slack = Math.max(0, radius - norm1(y));
  y[best] += toward * move(2 * wrong + slack, top);
  const others = range(x.length).filter((i) => i !== best && x[i] !== 0);
  others.sort((i, j) => Math.sign(x[j]) * g[j] - Math.sign(x[i]) * g[i]);
  for (const i of others) {
    const sign = Math.sign(x[i]);
    const half = move(2 * Math.abs(x[i]), (top + sign * g[i]) / 2) / 2;
    y[i] -= sign * half;
    y[best] += toward * half;
  }
  return y;
}

const mirrorMapOf = (object) => ({ Euclidean, QNorm })[object.type](object);

module.exports = { setOf, regularizerOf, mirrorMapOf, scaleDown, soft, keepLargest };
