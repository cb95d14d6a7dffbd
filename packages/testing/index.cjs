module.exports = require('../../src/testing/start-railyard.cjs')
