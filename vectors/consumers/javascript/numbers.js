"use strict";
// The double that a decimal was read as.

/** Return the 64 bits of a double as 16 hexadecimal digits, the sign first. */
function bits(number) {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(number);
  return bytes.toString("hex");
}

const numbers = { doubles: ({ number }) => bits(number) };

module.exports = { numbers };
