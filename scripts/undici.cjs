// Replaces the index of the package undici in the bundle, and loads only the files that the program uses.
const Dispatcher = require('../node_modules/undici/lib/dispatcher/dispatcher.js');
const request = require('../node_modules/undici/lib/api/api-request.js');
const connect = require('../node_modules/undici/lib/api/api-connect.js');

Object.assign(Dispatcher.prototype, { request, connect });

exports.Agent = require('../node_modules/undici/lib/dispatcher/agent.js');
exports.EnvHttpProxyAgent = require('../node_modules/undici/lib/dispatcher/env-http-proxy-agent.js');
exports.Pool = require('../node_modules/undici/lib/dispatcher/pool.js');
exports.errors = require('../node_modules/undici/lib/core/errors.js');
