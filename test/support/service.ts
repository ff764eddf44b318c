/**
 * A service as the interface document describes it, for tests, written from that document alone: strict about what
 * it is sent, and free to answer in every shape that the document leaves open. It entries each request with its
 * effect, and everything that the document does not provide for as a violation.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Arrived, type Endpoint, judge } from './service/contract.js';
import {
  campaignBody,
  campaignRow,
  createdBody,
  scheduleRecord,
  sequenceBody,
  templateRecord,
  wrapped,
} from './service/dress.js';
import { create, type Effect, type Scene, WRITES } from './service/effects.js';
import { type Page, pageOf } from './service/pages.js';
import { isRecord } from './service/record.js';
import type { Shape } from './service/shape.js';
import type { Store, StoredCampaign } from './service/store.js';

export const TOKEN = 'test-token-83b1f2';

/** One request, and what it did: `effect` is null where nothing changed. */
export interface Recorded {
  method: string;
  path: string;
  query: string;
  body: unknown;
  status: number | 'reset';
  effect: string | null;
}

/** What stands in for the answer to one request. `effect`: the request takes effect all the same. */
export type Fault = ({ status: number; body: unknown } | { reset: true }) & { effect: boolean };

export interface TestService {
  url: string;
  store: Store;
  requests: Recorded[];
  violations: string[];
  /** The next request of this method and path (without its query) is answered by the fault; several are queued. */
  answerThen(method: string, path: string, fault: Fault): void;
  /** The nth request from the start (1: the first) is answered by the fault. */
  answerAt(number: number, fault: Fault): void;
  /** The writes so far. */
  writes(): Recorded[];
  close(): Promise<void>;
}

interface Reply extends Page {
  status: number;
  effect: string | null;
}

/** Starts a service on a loopback port. The store given is the one that is changed. */
export async function startService(shape: Shape, store: Store): Promise<TestService> {
  const requests: Recorded[] = [];
  const violations: string[] = [];
  const faults: { method: string; path: string; fault: Fault }[] = [];
  const numbered = new Map<number, Fault>();
  let arrivals = 0;
  const scene: Scene = { store, shape, take: counterFor(store, shape) };
  let url = '';

  const server = createServer((request, response) => {
    void handle(request, response).catch((error: unknown) => {
      violations.push(`the test service broke: ${error instanceof Error ? error.stack : String(error)}`);
      response.writeHead(500).end();
    });
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrived = await arrival(request);
    const { method, path, query, body } = arrived;
    const found = faults.findIndex((one) => one.method === method && one.path === path);
    arrivals += 1;
    const fault = found < 0 ? (numbered.get(arrivals) ?? null) : (faults.splice(found, 1)[0]?.fault ?? null);
    const reply: Reply =
      fault !== null && !fault.effect
        ? plainReply(200, null)
        : answerTo(arrived, request.headers.authorization);
    const recorded = { method, path, query: query.toString(), body: body ?? null, effect: reply.effect };
    if (fault !== null && 'reset' in fault) {
      requests.push({ ...recorded, status: 'reset' });
      response.destroy();
      return;
    }
    const { status, body: answer } = fault ?? reply;
    requests.push({ ...recorded, status });
    send(response, { ...reply, status, body: answer });
  }

  function answerTo(arrived: Arrived, authorization: string | undefined): Reply {
    const { endpoint, id, violations: found } = judge(arrived);
    const at = `${arrived.method} ${arrived.path}`;
    if (authorization !== `Bearer ${TOKEN}`) {
      violations.push(`${at}: authorization ${authorization}`);
      return plainReply(401, { message: 'Unauthenticated.' });
    }
    violations.push(...found.map((violation) => `${at}: ${violation}`));
    if (endpoint === null)
      return plainReply(404, { message: `The route ${arrived.path} could not be found.` });
    const [first] = found;
    if (first !== undefined) return plainReply(422, { message: first, errors: { body: found } });
    if (endpoint.list) return listReply(endpoint, arrived);
    if (endpoint.name === 'create') return written(create(bodyOf(arrived), scene), endpoint);
    const campaign = store.campaigns.find((one) => one.id === id);
    if (campaign === undefined) return noneReply('campaign');
    const write = WRITES[endpoint.name];
    return write === undefined
      ? readReply(campaign, endpoint)
      : written(write(campaign, bodyOf(arrived), scene), endpoint);
  }

  function listReply({ name }: Endpoint, { path, query }: Arrived): Reply {
    const rows =
      name === 'templates'
        ? store.templates.map((template) => templateRecord(template, shape))
        : store.campaigns.map((campaign) => campaignRow(advanced(campaign), shape));
    const page = pageOf(rows, { query, url: `${url}${path}`, name }, shape);
    if (page === null)
      return plainReply(shape.list === 'numbered-404' ? 404 : 422, { message: 'No such page.' });
    return { status: 200, effect: null, ...page };
  }

  function readReply(campaign: StoredCampaign, { name }: Endpoint): Reply {
    switch (name) {
      case 'schedule':
        return campaign.schedule === null
          ? noneReply('schedule')
          : plainReply(200, wrapped(scheduleRecord(campaign.schedule, shape), 'schedule', shape));
      case 'sequence':
        return campaign.steps.length === 0
          ? noneReply('sequence_steps')
          : plainReply(200, sequenceBody(campaign, shape));
      default:
        return plainReply(200, campaignBody(advanced(campaign), shape));
    }
  }

  function noneReply(name: string): Reply {
    const message = `No ${name} here.`;
    switch (shape.none) {
      case '404':
        return plainReply(404, { data: { success: false, message, record_not_found: { campaign: name } } });
      case '204':
        return plainReply(204, undefined);
      case 'success-false':
        return plainReply(
          200,
          shape.envelope === 'data' ? { data: { success: false, message } } : { success: false, message },
        );
      case 'null':
        return plainReply(200, wrapped(null, name, shape));
      case '{}':
        return plainReply(200, wrapped({}, name, shape));
      case '[]':
        return plainReply(200, wrapped([], name, shape));
    }
  }

  function written(effect: Effect, endpoint: Endpoint): Reply {
    if (effect.kind === 'refused') {
      const { status, message } = effect;
      const body = status === 422 ? { message, errors: {} } : { data: { success: false, message } };
      return plainReply(status, body);
    }
    const { campaign } = effect;
    const what = effect.kind === 'done' ? effect.effect : null;
    if (endpoint.name === 'create') {
      return { ...plainReply(shape.createStatus, createdBody(campaign, shape)), effect: what };
    }
    return { ...acknowledgement(campaign, endpoint), effect: what };
  }

  function acknowledgement(campaign: StoredCampaign, { name }: Endpoint): Reply {
    switch (shape.writeAnswer) {
      case 'record':
        return plainReply(200, echo(campaign, name));
      case 'empty-body':
        return plainReply(200, undefined);
      case '204':
        return plainReply(204, undefined);
      case 'success':
        return plainReply(200, { success: true });
      case 'message':
        return plainReply(200, { message: 'Done.' });
      case 'null':
        return plainReply(200, null);
    }
  }

  function echo(campaign: StoredCampaign, name: string): unknown {
    if (name.includes('schedule') && campaign.schedule !== null) {
      return wrapped(scheduleRecord(campaign.schedule, shape), 'schedule', shape);
    }
    if (name === 'create-sequence') return sequenceBody(campaign, shape);
    if (name.startsWith('attach')) {
      return wrapped({ success: true, message: 'Leads successfully added.' }, 'result', shape);
    }
    return campaignBody(campaign, shape);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
  return {
    url,
    store,
    requests,
    violations,
    answerThen: (method, path, fault) => void faults.push({ method, path, fault }),
    answerAt: (number, fault) => void numbered.set(number, fault),
    writes: () => requests.filter(({ method }) => method !== 'GET'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A launch goes on a little at each look. */
function advanced(campaign: StoredCampaign): StoredCampaign {
  const now = campaign.pending.shift();
  if (now !== undefined) campaign.status = now;
  return campaign;
}

function counterFor(store: Store, { stepIds }: Shape): Scene['take'] {
  const next = {
    campaign: Math.max(100, ...store.campaigns.map(({ id }) => id)) + 1,
    step: Math.max(5000, ...store.campaigns.flatMap(({ steps }) => steps.map(({ id }) => id))) + 1,
    template: Math.max(0, ...store.templates.map(({ id }) => id)) + 1,
  };
  // Nobody has promised that a later step has a greater id.
  return (kind) => (kind === 'step' && stepIds === 'falling' ? 9000 - next.step++ : next[kind]++);
}

async function arrival(request: IncomingMessage): Promise<Arrived> {
  let text = '';
  for await (const chunk of request) text += chunk;
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
  return {
    method: request.method ?? '',
    path: pathname,
    query: searchParams,
    contentType: request.headers['content-type'],
    body: text === '' ? undefined : JSON.parse(text),
  };
}

function bodyOf({ body }: Arrived): Record<string, unknown> {
  return isRecord(body) ? body : {};
}

function plainReply(status: number, body: unknown): Reply {
  return { status, body, headers: {}, effect: null };
}

/** A text is sent as it is: a page of HTML, or garbage. */
function send(response: ServerResponse, { status, body, headers }: Reply): void {
  if (typeof body === 'string') {
    response.writeHead(status, { 'content-type': 'text/html' }).end(body);
    return;
  }
  response.writeHead(status, { ...headers, 'content-type': 'application/json; charset=utf-8' });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}
