"use strict";
// Vectors are arrays of numbers, matrices arrays of rows.

const sum = (v) => v.reduce((total, x) => total + x, 0);
const dot = (v, w) => v.reduce((total, x, i) => total + x * w[i], 0);
const norm = (v) => Math.hypot(...v);
const norm1 = (v) => sum(v.map(Math.abs));
const plus = (v, w) => v.map((x, i) => x + w[i]);
const minus = (v, w) => v.map((x, i) => x - w[i]);
const times = (c, v) => v.map((x) => c * x);
const mean = (rows) => rows[0].map((_, j) => sum(rows.map((row) => row[j])) / rows.length);
const zeros = (d) => new Array(d).fill(0);
const range = (count) => Array.from({ length: count }, (_, i) => i);
const column = (m, j) => m.map((row) => row[j]);
const transpose = (m) => m[0].map((_, j) => column(m, j));
const apply = (m, v) => m.map((row) => dot(row, v));
const outer = (v, w) => v.map((x) => times(x, w));
const identity = (d) => range(d).map((i) => range(d).map((j) => (i === j ? 1 : 0)));

function multiply(a, b) {
  const columns = transpose(b);
  return a.map((row) => columns.map((other) => dot(row, other)));
}

/** Return (1/divisor) sum of x x^T over rows x. */
function gram(rows, divisor = 1) {
  const d = rows[0].length;
  return range(d).map((i) => range(d).map((j) => sum(rows.map((x) => x[i] * x[j])) / divisor));
}

/** Apply a function to every number of nested lists, with the numbers at its place in others. */
function each(f, value, ...others) {
  if (!Array.isArray(value)) return f(value, ...others);
  return value.map((item, i) => each(f, item, ...others.map((other) => other[i])));
}

const shapeOf = (array) => (Array.isArray(array) ? [array.length, ...shapeOf(array[0])] : []);

/** Return nested lists of a shape with some numbers, the last axis the fastest. */
function nested(numbers, [size, ...rest]) {
  if (rest.length === 0) return numbers;
  const width = numbers.length / size;
  return range(size).map((i) => nested(numbers.slice(i * width, (i + 1) * width), rest));
}

/** Return the distance from |x| to the next larger double. */
function spacing(x) {
  const size = Math.abs(x);
  if (size < 2 ** -1022) return 2 ** -1074;
  let exponent = Math.floor(Math.log2(size));
  if (2 ** exponent > size) exponent--; // log2 is rounded
  else if (2 ** (exponent + 1) <= size) exponent++;
  return 2 ** (exponent - 52);
}

/** Return the index of the largest number, the first of several. */
function argmax(v) {
  return v.reduce((best, x, i) => (x > v[best] ? i : best), 0);
}

/** Return the indices that sort ascending, equal ones in their order. */
const order = (v) => range(v.length).sort((i, j) => v[i] - v[j] || i - j);

/** Solve A x = b by elimination with pivots. */
function solve(a, b) {
  const m = a.map((row, i) => [...row, b[i]]);
  const d = b.length;
  for (let k = 0; k < d; k++) {
    let pivot = k;
    for (let i = k + 1; i < d; i++) if (Math.abs(m[i][k]) > Math.abs(m[pivot][k])) pivot = i;
    [m[k], m[pivot]] = [m[pivot], m[k]];
    for (let i = k + 1; i < d; i++) {
      const factor = m[i][k] / m[k][k];
      for (let j = k; j <= d; j++) m[i][j] -= factor * m[k][j];
    }
  }
  const x = zeros(d);
  for (let i = d - 1; i >= 0; i--) {
    x[i] = (m[i][d] - dot(m[i].slice(i + 1, d), x.slice(i + 1))) / m[i][i];
  }
  return x;
}

/**
 * Return {values, vectors} of a symmetric matrix by Jacobi's rotations, the largest value first.
 * vectors[k] belongs to values[k].
 */
function eigen(symmetric) {
  const a = symmetric.map((row) => [...row]);
  const d = a.length;
  const v = identity(d);
  const size = Math.max(...a.flat().map(Math.abs));
  for (let sweep = 0; sweep < 100; sweep++) {
    let off = 0;
    for (let p = 0; p < d; p++) {
      for (let q = p + 1; q < d; q++) {
        off = Math.max(off, Math.abs(a[p][q]));
        if (a[p][q] === 0) continue;
        const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
        const c = 1 / Math.hypot(t, 1);
        const s = t * c;
        for (let k = 0; k < d; k++) {
          const [x, y] = [a[k][p], a[k][q]];
          [a[k][p], a[k][q]] = [c * x - s * y, s * x + c * y];
        }
        for (let k = 0; k < d; k++) {
          const [x, y] = [a[p][k], a[q][k]];
          [a[p][k], a[q][k]] = [c * x - s * y, s * x + c * y];
          const [z, w] = [v[p][k], v[q][k]];
          [v[p][k], v[q][k]] = [c * z - s * w, s * z + c * w];
        }
      }
    }
    if (off <= 1e-17 * size) break;
  }
  const values = range(d).map((k) => a[k][k]);
  const sorted = order(values.map((x) => -x));
  return { values: sorted.map((k) => values[k]), vectors: sorted.map((k) => v[k]) };
}

/** Return the least x of those with the least |A x - b|, A positive semidefinite. */
function leastNorm(a, b) {
  const { values, vectors } = eigen(a);
  const parts = vectors.map((v, k) =>
    times(values[k] > 1e-12 * values[0] ? dot(v, b) / values[k] : 0, v));
  return parts.reduce(plus);
}

module.exports = {
  sum, dot, norm, norm1, plus, minus, times, mean, zeros, range, column, transpose, apply, outer,
  identity, multiply, gram, each, argmax, order, solve, eigen, leastNorm,
  spacing, shapeOf, nested,
};
