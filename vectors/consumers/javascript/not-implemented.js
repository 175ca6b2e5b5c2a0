"use strict";

/** What a case asks for and nobody has written here. */
class NotImplemented extends Error {}

module.exports = { NotImplemented };
