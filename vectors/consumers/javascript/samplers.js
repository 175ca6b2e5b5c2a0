"use strict";
// Draws from bytes. Real numbers are integers in units of 2^-256; their functions are off by less
// than 2^-200, and a decision is taken where it is the same for all that a number may be.

const BITS = 256n;
const ONE = 1n << BITS;
const OFF = 1n << 56n;

/** The bytes of a case, one after the other. */
class Bytes {
  constructor(hex) {
    this.given = Buffer.from(hex, "hex");
    this.used = 0;
  }

  /** Return the next bytes as an integer, the first byte the least. */
  take(count) {
    if (this.used + count > this.given.length) throw new Error("no bytes are left");
    const taken = Buffer.from(this.given.subarray(this.used, this.used + count)).reverse().toString("hex");
    this.used += count;
    return BigInt(`0x${taken || "0"}`);
  }

  word() {
    return this.take(8);
  }

  words(count) {
    return Array.from({ length: count }, () => this.word());
  }

  /** Return an integer below a bound: what is not below it is drawn again. */
  below(bound) {
    const width = (bound - 1n).toString(2).length * Number(bound > 1n);
    const count = Math.ceil(width / 8);
    for (;;) {
      const drawn = this.take(count) >> BigInt(8 * count - width);
      if (drawn < bound) return drawn;
    }
  }
}

// ------------------------------------------------------------------ integers and fractions

const bernoulli = (bytes, [above, below]) => {
  const common = gcd(above, below);
  return bytes.below(below / common) < above / common;
};

function gcd(a, b) {
  return b === 0n ? a : gcd(b, a % b);
}

function bernoulliExp(bytes, [above, below]) {
  for (; above > below; above -= below) if (!upToOne(bytes, [1n, 1n])) return false;
  return upToOne(bytes, [above, below]);
}

function upToOne(bytes, [above, below]) {
  let k = 1n;
  while (bernoulli(bytes, [above, below * k])) k += 1n;
  return k % 2n === 1n;
}

function geometric(bytes, scale) {
  let rest = bytes.below(scale);
  while (!bernoulliExp(bytes, [rest, scale])) rest = bytes.below(scale);
  let whole = 0n;
  while (bernoulliExp(bytes, [1n, 1n])) whole += 1n;
  return rest + scale * whole;
}

function discreteLaplace(bytes, scale) {
  for (;;) {
    const size = geometric(bytes, scale);
    const negative = bytes.below(2n) === 1n;
    if (!(negative && size === 0n)) return negative ? -size : size;
  }
}

function discreteGaussian(bytes, scale) {
  for (;;) {
    const drawn = discreteLaplace(bytes, scale);
    const gap = (drawn < 0n ? -drawn : drawn) - scale;
    if (bernoulliExp(bytes, [gap * gap, 2n * scale * scale])) return drawn;
  }
}

/** Return remainders of words; those beyond the last multiple are drawn again after all others. */
function integers(bytes, bound, size) {
  const end = ((1n << 64n) / bound) * bound;
  const words = bytes.words(size);
  for (;;) {
    const beyond = words.flatMap((word, i) => (word >= end ? [i] : []));
    if (beyond.length === 0) return words.map((word) => Number(word % bound));
    for (const i of beyond) words[i] = bytes.word();
  }
}

// ------------------------------------------------------------------------- real numbers

/** Return a double, times a power of two, in units of 2^-256. */
function fixed(x, power = 0) {
  if (x === 0) return 0n;
  let down = 0;
  while (!Number.isInteger(x)) [x, down] = [x * 2, down + 1];
  const shift = BITS + BigInt(power - down);
  return shift >= 0n ? BigInt(x) << shift : BigInt(x) >> -shift;
}

const times = (x, y) => (x * y) >> BITS;
const over = (x, y) => (x << BITS) / y;

function sum(first, next) {
  let [total, term] = [0n, first];
  for (let k = 1n; term !== 0n && term !== -1n; k += 1n) [total, term] = [total + term, next(term, k)];
  return total;
}

/** Return artanh x, |x| <= 1/3. */
function artanh(x) {
  const square = times(x, x);
  let power = x;
  return sum(x, (_, k) => {
    power = times(power, square);
    return power / (2n * k + 1n);
  });
}

const LOG2 = 2n * artanh(ONE / 3n);

function log(x) {
  const power = BigInt(x.toString(2).length) - BITS;
  const mantissa = power >= 0n ? x >> power : x << -power; // in [1/2, 1)
  return power * LOG2 - 2n * artanh(over(ONE - mantissa, ONE + mantissa));
}

/** Return exp x, x <= 0. */
function exp(x) {
  let power = sum(ONE, (term, k) => times(term, x >> 16n) / k);
  for (let i = 0; i < 16; i++) power = times(power, power);
  return power;
}

function root(x) {
  const square = x << BITS;
  let guess = 1n << BigInt(Math.ceil(square.toString(2).length / 2));
  for (;;) {
    const next = (guess + square / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}

const PI = 16n * arctan(5n) - 4n * arctan(239n); // Machin

/** Return arctan(1/n). */
function arctan(n) {
  let power = ONE / n;
  return sum(power, (_, k) => {
    power = -power / (n * n);
    return power / (2n * k + 1n);
  });
}

function cosine(x) {
  return sum(ONE, (term, k) => -times(times(term, x), x) / ((2n * k - 1n) * 2n * k));
}

const sine = (x) => cosine(PI / 2n - x);

/** A number of [0, 1] of which the first digits are known. */
class Uniform {
  constructor(bytes, digits = 0n, length = 0n) {
    Object.assign(this, { bytes, digits, length });
  }

  refine() {
    this.digits = (this.digits << 64n) | this.bytes.word();
    this.length += 64n;
  }

  /** Return both ends of what the number may be. */
  ends() {
    return [this.digits, this.digits + 1n].map((digits) => digits << (BITS - this.length));
  }
}

/** Return a decision, drawing the further digits that it needs; no number may be 0. */
function settle(uniforms, attempt) {
  for (;;) {
    if (uniforms.every(({ digits }) => digits > 0n)) {
      const decision = attempt();
      if (decision !== null) return decision;
    }
    for (const uniform of uniforms) uniform.refine();
  }
}

/** Return a step function's value where it is the same for all numbers between two ends. */
function agreed(low, high, step) {
  const [first, last] = [step(low - OFF), step(high + OFF)];
  return first === last ? first : null;
}

const nearest = (x) => (x + ONE / 2n) >> BITS;
const TAIL = (1n << 63n) - 1n;
const sign = (word) => (word > TAIL ? -1n : 1n);
const tail = (bytes, word) => new Uniform(bytes, word & TAIL, 63n);

/** Return the size of a Laplace number: -log U, at its two ends. */
const exponential = (uniform) => uniform.ends().reverse().map((u) => (u >= ONE ? 0n : -log(u)));

function laplaces(bytes, size) {
  return bytes.words(size).map((word) => {
    const uniform = tail(bytes, word);
    return { sign: sign(word), uniforms: [uniform], ends: () => exponential(uniform) };
  });
}

function normals(bytes, size) {
  const half = Math.ceil(size / 2);
  const [radii, angles] = [bytes.words(half), bytes.words(half)];
  const pairs = radii.map((word, i) => [tail(bytes, word), tail(bytes, angles[i])]);
  const number = (wave, falling) => ([radius, angle]) => {
    const sizes = exponential(radius).map((square) => root(2n * square));
    const waves = angle.ends().map((u) => wave(times(u, PI) / 2n));
    if (falling) waves.reverse();
    return sizes.map((x, i) => times(x, waves[i]));
  };
  const all = (words, ends) =>
    pairs.map((pair, i) => ({ sign: sign(words[i]), uniforms: pair, ends: () => ends(pair) }));
  return [...all(radii, number(cosine, true)), ...all(angles, number(sine, false))].slice(0, size);
}

/** Return values plus noise, rounded to 2^-30 of the power of two that is not above the scale. */
function rounded(numbers, values, scale) {
  let grid = -30;
  while (2 ** (grid + 31) <= scale) grid += 1;
  while (2 ** (grid + 30) > scale) grid -= 1;
  const size = fixed(scale, -grid);
  return numbers.map((number, i) => {
    const steps = settle(number.uniforms, () => {
      const noise = number.ends().map((end) => number.sign * times(end, size));
      const [low, high] = number.sign < 0n ? noise.reverse() : noise;
      const value = fixed(values[i], -grid);
      return agreed(value + low - (OFF << 31n), value + high + (OFF << 31n), nearest);
    });
    return Number(steps) * 2 ** grid;
  });
}

// ------------------------------------------------------------------- coins and selections

/** Return whether U < p, of the word of a uniform number. */
function coin(bytes, word, chance, off = OFF) {
  const uniform = new Uniform(bytes, word, 64n);
  return settle([uniform], () => {
    const [low, high] = uniform.ends();
    if (high < chance - off) return true;
    return low >= chance + off ? false : null;
  });
}

const coins = (bytes, chances) =>
  bytes.words(chances.length).map((word, i) => coin(bytes, word, fixed(chances[i]), 0n));

function truths(bytes, size, epsilon, categories = 2) {
  const chance = over(ONE, ONE + BigInt(categories - 1) * exp(fixed(-epsilon)));
  return bytes.words(size).map((word) => coin(bytes, word, chance));
}

/** Return an index with probability proportional to its weight, by the word of a number. */
function chosen(bytes, word, weights) {
  const uniform = new Uniform(bytes, word, 64n);
  let total = 0n;
  const sums = weights.map((weight) => (total += weight));
  return settle([uniform], () => {
    const [low, high] = uniform.ends().map((u) => times(u, total));
    const below = (point) => sums.slice(0, -1).filter((partial) => partial <= point).length;
    return agreed(low, high, below);
  });
}

/** Return exp(rate (score - largest)). */
function weighed(scores, rate) {
  const [top, factor] = [fixed(Math.max(...scores)), fixed(rate)];
  return scores.map((score) => exp(times(factor, fixed(score) - top)));
}

function selections(bytes, scores, rate) {
  const words = bytes.words(scores.length);
  return scores.map((row, i) => chosen(bytes, words[i], weighed(row, rate)));
}

/** Return a point of a piece, rounded down to 2^-52 of the power of two not above all. */
function point(bytes, { scores, starts, ends, rate }) {
  const [left, right] = [starts.map((x) => fixed(x)), ends.map((x) => fixed(x))];
  const weights = weighed(scores, rate).map((weight, j) => times(weight, right[j] - left[j]));
  const piece = chosen(bytes, bytes.word(), weights);
  const [lower, length] = [left[0], right[piece] - left[piece]];
  const width = right.at(-1) - lower;
  const step = 1n << BigInt(width.toString(2).length - 53);
  const uniform = new Uniform(bytes);
  const steps = settle([uniform], () => {
    const [low, high] = uniform.ends().map((u) => left[piece] - lower + times(u, length));
    const [first, last] = [low / step, (high - 1n) / step];
    return first === last ? first : null;
  });
  return Number(lower + steps * step) / Number(ONE);
}

// ------------------------------------------------------------------------------- answers

const drawing = (sampler) => (inputs) => {
  const bytes = new Bytes(inputs.bytes);
  const drawn = sampler(bytes, inputs);
  return { drawn: typeof drawn === "bigint" ? Number(drawn) : drawn, used: bytes.used };
};
const scaled = (sampler) => (bytes, { scale }) => sampler(bytes, BigInt(scale));
const fraction = (sampler) => (bytes, { numerator, denominator }) =>
  sampler(bytes, [BigInt(numerator), BigInt(denominator)]);
const noise = (numbers) => (bytes, { value, scale }) =>
  rounded(numbers(bytes, value.length), value, scale);

const all = {
  below: (bytes, { bound }) => bytes.below(BigInt(bound)),
  integers: (bytes, { bound, size }) => integers(bytes, BigInt(bound), size),
  bernoulli: fraction(bernoulli),
  "bernoulli-exp": fraction(bernoulliExp),
  geometric: scaled(geometric),
  "discrete-laplace": scaled(discreteLaplace),
  "discrete-gaussian": scaled(discreteGaussian),
  laplace: noise(laplaces),
  gaussian: noise(normals),
  coins: (bytes, { chances }) => coins(bytes, chances),
  truths: (bytes, { size, epsilon, categories }) => truths(bytes, size, epsilon, categories),
  selections: (bytes, { scores, rate }) => selections(bytes, scores, rate),
  point,
};
const samplers = Object.fromEntries(Object.entries(all).map(([of, f]) => [of, drawing(f)]));

module.exports = { samplers };
