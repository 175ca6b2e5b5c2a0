module.exports = { algorithms: {}, constants: {} };
