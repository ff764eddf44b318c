// What the program takes of undici, for the bundle. undici's own index also loads fetch, web sockets, caches and mocks: that
// takes as long as all the rest of the program.
import api from 'undici/lib/api/index.js';
import errors from 'undici/lib/core/errors.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';
import Pool from 'undici/lib/dispatcher/pool.js';

Object.assign(Dispatcher.prototype, api);

export { Agent, EnvHttpProxyAgent, errors, Pool };
