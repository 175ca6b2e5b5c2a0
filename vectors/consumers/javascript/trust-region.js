"use strict";
// Quadratic functions, not convex, over balls: exactly, through eigenvalues.

const {
  apply, dot, eigen, identity, minus, norm, plus, times,
} = require("./linear-algebra.js");

/** Return a basis of the eigenvalues, ascending, with the gradient's coordinates in it. */
function eigenbasis(gradient, hessian) {
  const { values, vectors } = eigen(hessian);
  const [d, basis] = [[...values].reverse(), [...vectors].reverse()];
  return { d, basis, c: basis.map((v) => dot(v, gradient)) };
}

const combine = (basis, coefficients) => basis.map((v, i) => times(coefficients[i], v)).reduce(plus);

/** Return the root of a falling function between two numbers. */
function bisect(f, low, high) {
  for (let k = 0; k < 200; k++) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (f(middle) > 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * Return {step, multiplier} of the minimum of <g, h> + <H h, h>/2 over ||h|| <= r:
 * (H + multiplier I) h = -g with H + multiplier I positive semidefinite.
 */
function solveTrustRegion(gradient, hessian, radius) {
  const hard = hardCase(gradient, hessian, radius);
  if (hard) {
    const { rest, length, space, multiplier } = hard;
    return { step: plus(rest, times(length, space[0])), multiplier };
  }
  const { d, basis, c } = eigenbasis(gradient, hessian);
  const floor = Math.max(0, -d[0]);
  const above = d.map((x) => x + floor); // exactly 0 where the pole is, so that no digits are lost
  const stepAt = (m) => combine(basis, c.map((ci, i) => -ci / (above[i] + m)));
  const size = (m) => norm(c.map((ci, i) => ci / (above[i] + m)));
  if (d[0] > 0 && size(0) <= radius) return { step: stepAt(0), multiplier: 0 };
  const found = bisect((m) => size(m) - radius, 0, norm(c) / radius);
  return { step: stepAt(found), multiplier: floor + found };
}

/**
 * Return {rest, length, space, multiplier} where the gradient is orthogonal to the eigenspace of a
 * smallest eigenvalue that is not positive: minima are rest + length u, u any unit vector of the
 * space. Return null where there is none.
 */
function hardCase(gradient, hessian, radius) {
  const { d, basis, c } = eigenbasis(gradient, hessian);
  if (d[0] > 0) return null;
  const scale = Math.max(...d.map(Math.abs), norm(gradient) / radius);
  const bottom = d.filter((x) => x - d[0] <= 1e-12 * scale).length;
  if (norm(c.slice(0, bottom)) > 1e-12 * norm(gradient)) return null;
  const rest = combine(basis, c.map((ci, i) => (i < bottom ? 0 : -ci / (d[i] - d[0]))));
  if (norm(rest) > radius) return null;
  const length = d[0] < 0 ? Math.sqrt(radius ** 2 - norm(rest) ** 2) : 0;
  return { rest, length, space: basis.slice(0, bottom), multiplier: -d[0] };
}

/** Return all stationary points on the sphere of <b, u> + <H u, u>/2, by their multipliers. */
function stationaryOnSphere(b, hessian, radius) {
  const { d, basis, c } = eigenbasis(b, hessian);
  const excess = (m) => norm(c.map((ci, i) => (ci === 0 ? 0 : ci / (d[i] + m)))) - radius;
  const poles = [...new Set(d.map((x) => -x))].sort((x, y) => x - y);
  const reach = norm(c) / radius + 1;
  const ends = [poles[0] - reach, ...poles, poles[poles.length - 1] + reach];
  const found = [];
  for (let k = 0; k + 1 < ends.length; k++) {
    const [low, high] = [ends[k], ends[k + 1]];
    if (high - low < 1e-14) continue;
    // ||u|| is convex between poles: its least value parts the two roots
    const middle = k === 0 ? low : k + 2 === ends.length ? high : leastOf(excess, low, high);
    if (excess(middle) > 0) continue;
    if (k > 0) found.push(bisect(excess, low + 1e-15, middle));
    if (k + 2 < ends.length) found.push(-bisect((m) => excess(-m), -high + 1e-15, -middle));
  }
  return found.map((m) => combine(basis, c.map((ci, i) => (ci === 0 ? 0 : -ci / (d[i] + m)))));
}

/** Return the minimiser of a convex function by ternary search. */
function leastOf(f, low, high) {
  for (let k = 0; k < 200; k++) {
    const [one, two] = [low + (high - low) / 3, high - (high - low) / 3];
    if (f(one) < f(two)) high = two;
    else low = one;
  }
  return (low + high) / 2;
}

/** Return an orthonormal basis of what is orthogonal to a unit vector. */
function complement(unit) {
  const basis = [];
  for (const e of identity(unit.length)) {
    let v = minus(e, times(dot(e, unit), unit));
    for (const known of basis) v = minus(v, times(dot(v, known), known));
    if (norm(v) > 1e-8 && basis.length < unit.length - 1) basis.push(times(1 / norm(v), v));
  }
  return basis;
}

/** Minimise <H(u - w), u - w> over ||u|| <= R and <g, u - w> <= r. */
function solveInHalfBall(hessian, center, radius, direction, most) {
  const q = (u) => dot(apply(hessian, minus(u, center)), minus(u, center));
  const linear = times(-1, apply(hessian, center)); // q/2 = <u, Hu>/2 + <linear, u> + constant
  const candidates = [center];
  candidates.push(...globalMinima(linear, hessian, radius, direction));
  candidates.push(...stationaryOnSphere(linear, hessian, radius));
  if (norm(direction) > 0) {
    candidates.push(...onCut(hessian, linear, center, radius, direction, most));
  }
  const slack = 1e-12 * (norm(direction) * (radius + norm(center)) + most);
  const feasible = candidates.filter((u) =>
    norm(u) <= radius * (1 + 1e-12) && dot(direction, minus(u, center)) <= most + slack);
  return feasible.reduce((best, u) => (q(u) < q(best) ? u : best));
}

/**
 * Return minima on the ball: of a sphere of them the one that lies furthest from the cut, and the
 * one that lies opposite.
 */
function globalMinima(linear, hessian, radius, direction) {
  const hard = hardCase(linear, hessian, radius);
  if (!hard) return [solveTrustRegion(linear, hessian, radius).step];
  const { rest, length, space } = hard;
  const inSpace = combine(space, space.map((v) => dot(v, direction)));
  const size = norm(inSpace);
  const along = size > 0 ? times(1 / size, inSpace) : space[0];
  return [minus(rest, times(length, along)), plus(rest, times(length, along))];
}

/** Return the minimiser on the hyperplane where the cut binds, if it meets the ball. */
function onCut(hessian, linear, center, radius, direction, most) {
  const size = norm(direction);
  const unit = times(1 / size, direction);
  const foot = times((most / size) + dot(unit, center), unit);
  const left = radius ** 2 - dot(foot, foot);
  if (left < 0) return [];
  const basis = complement(unit);
  if (basis.length === 0) return [foot];
  const reduced = basis.map((v) => basis.map((w) => dot(v, apply(hessian, w))));
  const slope = plus(apply(hessian, foot), linear);
  const { step } =
    solveTrustRegion(basis.map((v) => dot(v, slope)), reduced, Math.max(Math.sqrt(left), 1e-300));
  return [plus(foot, combine(basis, step))];
}

module.exports = { solveTrustRegion, solveInHalfBall };
