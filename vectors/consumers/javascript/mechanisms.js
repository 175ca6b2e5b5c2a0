"use strict";
// Everything random: draws come from the case, in order, and every step is noted.

const { argmax, dot, each, multiply, norm, range, times, transpose } = require("./linear-algebra.js");

const LARGEST = 2 ** 40; // in units of the noise: beyond it, doubles swallow the noise

const cut = (value, limit) => each((x) => Math.max(-limit, Math.min(limit, x)), value);

/** Lay numbers out as a symmetric matrix: its upper triangle with the diagonal, row by row. */
function symmetric(draw, d, diagonalScale) {
  const matrix = range(d).map(() => new Array(d));
  let next = 0;
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) {
      matrix[i][j] = matrix[j][i] = draw[next++] * (i === j ? diagonalScale : 1);
    }
  }
  return matrix;
}

/** Return which category is said for a true one. */
function respond(truth, draw, epsilon, k) {
  const keep = 1 / (1 + (k - 1) * Math.exp(-epsilon));
  if (draw < keep) return truth;
  const x = Math.min((draw - keep) / (1 - keep), 1 - 2 ** -53);
  return (truth + 1 + Math.floor(x * (k - 1))) % k;
}

/** Return r coth(epsilon/2) sqrt(pi) Gamma((p + 1)/2)/Gamma(p/2). */
function sphereRadius(radius, epsilon, p) {
  let quotient = p % 2 === 1 ? 1 : Math.PI / 2; // sqrt(pi) times that of gamma values, p = 1 or 2
  for (let q = p % 2 === 1 ? 1 : 2; q < p; q += 2) quotient *= (q + 1) / q;
  return (radius * quotient) / Math.tanh(epsilon / 2);
}

/** Say a vector of norm at most the radius under epsilon-local privacy. */
function sphereVector(v, coin, truth, direction, radius, epsilon) {
  const size = norm(v);
  const u = size > 0 ? times(1 / size, v) : v.map((_, j) => (j === 0 ? 1 : 0));
  const s = coin < 1 / 2 + size / (2 * radius) ? 1 : -1;
  const t = truth < 1 / (1 + Math.exp(-epsilon)) ? 1 : -1;
  const w = times(1 / norm(direction), direction);
  const sign = dot(w, u) > 0 === s * t > 0 ? 1 : -1;
  return times(sign * sphereRadius(radius, epsilon, v.length), w);
}

class Ledger {
  constructor(draws) {
    this.draws = draws;
    this.steps = [];
  }

  next() {
    if (this.steps.length >= this.draws.length) throw new Error("more draws are asked for than given");
    return this.draws[this.steps.length];
  }

  note(kind, value, output, rest = {}) {
    this.steps.push({ kind, value, output, ...rest });
    return output;
  }

  /** Note value + scale * noise, the value cut where doubles would swallow the noise. */
  release(kind, value, scale, noise, rest) {
    const bounded = cut(value, LARGEST * scale);
    const output = each((x, z) => x + scale * z, bounded, noise);
    return this.note(kind, bounded, output, { scale, ...rest });
  }

  gaussian(value, sensitivity, scale) {
    return this.release("gaussian", value, scale, this.next(), { sensitivity });
  }

  laplace(value, sensitivity, scale) {
    return this.release("laplace", value, scale, this.next(), { sensitivity });
  }

  symmetricNoise(kind, value, sensitivity, scale, diagonalVariance = 1) {
    const root = Math.sqrt(diagonalVariance);
    const draw = this.next();
    const noise = Array.isArray(draw[0]) // a matrix of every user's
      ? draw.map((row) => symmetric(row, value[0].length, root))
      : symmetric(draw, value.length, root);
    return this.release(kind, value, scale, noise, { sensitivity });
  }

  symmetricGaussian(value, sensitivity, scale, diagonalVariance) {
    return this.symmetricNoise("symmetric gaussian", value, sensitivity, scale, diagonalVariance);
  }

  symmetricLaplace(value, sensitivity, scale) {
    return this.symmetricNoise("symmetric laplace", value, sensitivity, scale);
  }

  wishart(value, sensitivity, scale, degrees) {
    const lower = this.next();
    const noise = multiply(lower, transpose(lower));
    return this.release("wishart", value, scale, noise, { sensitivity, degrees });
  }

  exponential(scores, sensitivity, epsilon) {
    const rate = epsilon / (2 * sensitivity);
    const draw = this.next();
    const bounded = cut(scores, LARGEST / rate);
    const select = (row, noise) => argmax(row.map((score, i) => rate * score + noise[i]));
    const output = Array.isArray(bounded[0])
      ? bounded.map((row, i) => select(row, draw[i]))
      : select(bounded, draw);
    return this.note("exponential", bounded, output, { sensitivity, rate });
  }

  /** Return a point of [lower, upper): a piece by score and length, then a point of it. */
  intervalExponential(scores, breaks, lower, upper, sensitivity, epsilon) {
    const rate = epsilon / (2 * sensitivity);
    const [gumbel, uniform] = this.next();
    const bounded = cut(scores, LARGEST / rate);
    const starts = [lower, ...breaks];
    const ends = [...breaks, upper];
    const i = argmax(bounded.map((s, j) => rate * s + Math.log(ends[j] - starts[j]) + gumbel[j]));
    const point = starts[i] + (ends[i] - starts[i]) * uniform;
    const output = point < ends[i] ? point : starts[i];
    const rest = { sensitivity, rate, lower, upper };
    return this.note("interval exponential", [bounded, starts], output, rest);
  }

  noisyMax(scores, sensitivity, scale, excluded = []) {
    const draw = this.next();
    const bounded = cut(scores, LARGEST * scale);
    const noisy = bounded.map((s, i) => (excluded.includes(i) ? -Infinity : s + scale * draw[i]));
    return this.note("noisy max", bounded, argmax(noisy), { sensitivity, scale, excluded });
  }

  /** Return [indices, numbers] of the largest coordinates. */
  peeling(value, count, sensitivity, scale) {
    const selected = [];
    const sizes = value.map(Math.abs);
    for (let i = 0; i < count; i++) {
      selected.push(this.noisyMax(sizes, sensitivity, scale, [...selected]));
    }
    return [selected, selected.map((j) => this.laplace(value[j], sensitivity, scale))];
  }

  randomizedResponse(value, epsilon, categories = 2) {
    const draw = this.next();
    const output = each((truth, x) => respond(truth, x, epsilon, categories), value, draw);
    return this.note("randomized response", value, output, { epsilon, categories });
  }

  unary(value, categories, epsilon) {
    const bits = value.map((k) => range(categories).map((j) => (j === k ? 1 : 0)));
    return this.randomizedResponse(bits, epsilon / 2);
  }

  bit(probability) {
    const output = each((p, x) => (x < p ? 1 : 0), probability, this.next());
    return this.note("bit", probability, output);
  }

  l2Ball(value, radius, epsilon) {
    const [coins, truths, directions] = this.next();
    const output = value.map((v, i) =>
      sphereVector(v, coins[i], truths[i], directions[i], radius, epsilon));
    return this.note("l2 ball", value, output, { radius, epsilon });
  }

  smooth(value, smoothBound, divisor, noise = "arsinh-normal") {
    const shaped = noise === "gaussian" ? this.next() : each(Math.sinh, this.next());
    const output = each((x, z) => x + (smoothBound / divisor) * z, value, shaped);
    return this.note("smooth sensitivity", value, output, { smooth_bound: smoothBound, divisor });
  }

  /** Return indices that were drawn: nothing private. */
  subsample() {
    return this.note("subsample", undefined, this.next());
  }

  /** Return a value that was drawn from no data. */
  public() {
    return this.note("public", undefined, this.next());
  }
}

/** One release, as the cases of the kind `mechanisms` ask for it. */
const releases = {
  gaussian: (a, ledger) => ledger.gaussian(a.value, a.sensitivity, a.scale),
  laplace: (a, ledger) => ledger.laplace(a.value, a.sensitivity, a.scale),
  symmetric_gaussian: (a, ledger) =>
    ledger.symmetricGaussian(a.value, a.sensitivity, a.scale, a.diagonal_variance),
  symmetric_laplace: (a, ledger) => ledger.symmetricLaplace(a.value, a.sensitivity, a.scale),
  wishart: (a, ledger) => ledger.wishart(a.value, a.sensitivity, a.scale, a.degrees),
  exponential: (a, ledger) => ledger.exponential(a.scores, a.sensitivity, a.epsilon),
  selections: (a, ledger) => ledger.exponential(a.scores, a.sensitivity, a.epsilon),
  interval_exponential: (a, ledger) =>
    ledger.intervalExponential(a.scores, a.breaks, a.lower, a.upper, a.sensitivity, a.epsilon),
  noisy_max: (a, ledger) => ledger.noisyMax(a.scores, a.sensitivity, a.scale, a.excluded),
  peeling: (a, ledger) => ledger.peeling(a.value, a.count, a.sensitivity, a.scale),
  randomized_response: (a, ledger) =>
    ledger.randomizedResponse(a.value, a.epsilon, a.categories),
  unary: (a, ledger) => ledger.unary(a.value, a.categories, a.epsilon),
  bit: (a, ledger) => ledger.bit(a.probability),
  l2_ball: (a, ledger) => ledger.l2Ball(a.value, a.radius, a.epsilon),
  smooth: (a, ledger) => ledger.smooth(a.value, a.smooth_bound, a.divisor, a.noise),
};

module.exports = { Ledger, releases };
