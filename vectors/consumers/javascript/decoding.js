"use strict";
// Numbers that JSON has no words for.

const SPECIAL = { NaN, Infinity, "-Infinity": -Infinity };

/** Read the names of NaN and the infinities, at any depth. */
function decoded(value) {
  if (typeof value === "string") return value in SPECIAL ? SPECIAL[value] : value;
  if (Array.isArray(value)) return value.map(decoded);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, decoded(item)]));
}

module.exports = { decoded };
