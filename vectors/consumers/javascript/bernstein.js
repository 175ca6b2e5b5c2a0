"use strict";
// Bernstein polynomials through values on the grid {0, 1/k, .., 1}^p, iterated, and their minima.

const { dot, each, identity, minus, multiply, norm, plus, range, solve, sum, times, zeros } =
  require("./linear-algebra.js");
const { binomial } = require("./special-functions.js");

/** Return C(k, v) x^v (1 - x)^(k - v) for all v. */
const basis = (k, x) => range(k + 1).map((v) => binomial(k, v) * x ** v * (1 - x) ** (k - v));

/** Return the points of the grid, the last coordinate the fastest. */
function grid(k, p) {
  let points = [[]];
  for (let j = 0; j < p; j++) {
    points = points.flatMap((w) => range(k + 1).map((v) => [...w, v / k]));
  }
  return points;
}

/** Return W with the h-th iterate of f having the coefficients W f: the sum of (I - M)^j, j < h. */
function iteration(k, h) {
  const m = range(k + 1).map((u) => basis(k, u / k));
  const rest = each((one, x) => one - x, identity(k + 1), m);
  let total = identity(k + 1);
  for (let j = 1; j < h; j++) {
    total = each((one, x) => one + x, identity(k + 1), multiply(rest, total));
  }
  return total;
}

/** Apply a matrix along every axis of values on the grid: the first becomes the last, p times. */
function alongEveryAxis(matrix, values, p) {
  let v = values;
  for (let j = 0; j < p; j++) {
    const before = v;
    const stride = v.length / matrix[0].length;
    v = range(stride).flatMap((rest) =>
      matrix.map((row) => sum(row.map((m, u) => m * before[rest + u * stride]))));
  }
  return v;
}

/** Return the coefficients of the h-th iterate through values on the grid. */
const coefficientsOf = (values, k, p, h) => alongEveryAxis(iteration(k, h), values, p);

/**
 * Return the coefficients of a polynomial plus (strength/2) ||w||^2, of degree m = k + 1: those of
 * degree k are means of two, and x^2 has v (v - 1)/(m (m - 1)).
 */
function withRidge(coefficients, k, p, strength) {
  const m = k + 1;
  const raise = range(m + 1).map((v) =>
    range(m).map((u) => (u === v - 1 ? v / m : u === v ? 1 - v / m : 0)));
  const digits = grid(m, p).map((w) => w.map((x) => Math.round(x * m)));
  return alongEveryAxis(raise, coefficients, p).map((c, i) =>
    c + (strength / 2) * sum(digits[i].map((v) => (v * (v - 1)) / (m * (m - 1)))));
}

/** Return a polynomial as an object that knows its value, gradient and Hessian. */
function polynomial(values, k, p, order, strength) {
  const c = coefficientsOf(values, k, p, order);
  const digits = range(c.length).map((i) =>
    range(p).map((j) => Math.floor(i / (k + 1) ** (p - 1 - j)) % (k + 1)));
  /** Derivatives of the basis: k (b_{v-1,k-1} - b_{v,k-1}), and again. */
  const derivative = (x, times_) => {
    let b = k >= times_ ? basis(k - times_, x) : [];
    for (let d = times_; d > 0; d--) {
      const degree = k - d + 1;
      const lower = b;
      b = range(degree + 1).map((v) => degree * ((lower[v - 1] ?? 0) - (lower[v] ?? 0)));
    }
    return b;
  };
  const combined = (w, orders) => {
    const tables = w.map((x, j) => derivative(x, orders[j]));
    return sum(c.map((ci, i) => ci * digits[i].reduce((t, v, j) => t * (tables[j][v] ?? 0), 1)));
  };
  const unit = (j) => range(p).map((i) => (i === j ? 1 : 0));
  return {
    value: (w) => combined(w, zeros(p)) + (strength / 2) * dot(w, w),
    gradient: (w) => plus(range(p).map((j) => combined(w, unit(j))), times(strength, w)),
    hessian: (w) => range(p).map((i) => range(p).map((j) =>
      combined(w, plus(unit(i), unit(j))) + (i === j ? strength : 0))),
  };
}

/** Return the number at which a function changes its sign between two. */
function rootBetween(f, low, high) {
  const rising = f(high) > f(low);
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2;
    if (f(middle) > 0 === rising) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}

/** Return candidates for a minimum along a curve: its ends, and where the slope changes sign. */
function alongCurve(curve, slope, from, to, count = 400) {
  const at = range(count + 1).map((i) => from + ((to - from) * i) / count);
  const found = [from, to];
  for (let i = 0; i < count; i++) {
    if (slope(at[i]) < 0 && slope(at[i + 1]) >= 0) {
      found.push(rootBetween(slope, at[i], at[i + 1]));
    }
  }
  return found.map(curve);
}

/** Improve a point by Newton's method; null where it leads nowhere. */
function polished(f, start) {
  let w = start;
  for (let step = 0; step < 50; step++) {
    const g = f.gradient(w);
    const change = solve(f.hessian(w), g);
    if (!change.every(Number.isFinite)) return null;
    w = minus(w, change);
    if (w.some((x) => Math.abs(x) > 2)) return null;
    if (norm(change) < 1e-16) break;
  }
  return w;
}

/**
 * Return {point, value} of the least value on [0, 1]^p, p = 1 or 2, or a ball around its centre.
 *
 * Candidates are the points of a fine mesh, polished, and the minima along the boundary.
 */
function minimum(f, p, ball) {
  if (p > 2) throw new Error("minima are found for one and two variables");
  const inside = (w) => w.every((x) => x >= 0 && x <= 1)
    && (!ball || norm(w.map((x) => x - 0.5)) <= ball.radius * (1 + 1e-12));
  let candidates;
  if (p === 1) {
    const [low, high] = ball ? [0.5 - ball.radius, 0.5 + ball.radius] : [0, 1];
    candidates = alongCurve((x) => [x], (x) => f.gradient([x])[0], low, high);
  } else {
    candidates = [...boundary(f, ball), ...interior(f, inside)];
  }
  const point = candidates.filter(inside).reduce((best, w) => (f.value(w) < f.value(best) ? w : best));
  return { point, value: f.value(point) };
}

function boundary(f, ball) {
  if (ball) {
    const curve = (t) => [0.5 + ball.radius * Math.cos(t), 0.5 + ball.radius * Math.sin(t)];
    const slope = (t) => dot(f.gradient(curve(t)), [-Math.sin(t), Math.cos(t)]);
    return alongCurve(curve, slope, 0, 2 * Math.PI);
  }
  return [0, 1].flatMap((j) => [0, 1].flatMap((end) => {
    const curve = (t) => (j === 0 ? [end, t] : [t, end]);
    return alongCurve(curve, (t) => f.gradient(curve(t))[1 - j], 0, 1);
  }));
}

/** Return the minima inside that the best points of a mesh lead to. */
function interior(f, inside) {
  const mesh = grid(60, 2).filter(inside);
  const sorted = mesh.map((w) => [f.value(w), w]).sort((a, b) => a[0] - b[0]).slice(0, 20);
  return sorted.flatMap(([, w]) => [w, polished(f, w)]).filter((w) => w !== null);
}

module.exports = { basis, coefficientsOf, grid, iteration, minimum, polynomial, withRidge };
