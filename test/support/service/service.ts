/**
 * The tests' service, written only from the API document. It is strict about requests, and can respond in every shape that
 * the document leaves open. It records each request with its effect, and reports everything that the document does not
 * allow as a violation.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { listenOn } from '../listen.js';
import {
  type Answer,
  campaignRow,
  noneAnswer,
  readAnswer,
  refusedAnswer,
  templateRecord,
  writtenAnswer,
} from './answers.js';
import { type Arrived, judge } from './contract.js';
import { pageOf } from './pages.js';
import { type Shape, showsStatus } from './shape.js';
import {
  campaignOf,
  create,
  type Effect,
  isRecord,
  leadsOf,
  openBackend,
  type Store,
  type StoredCampaign,
  WRITES,
} from './store.js';

export const TOKEN = 'test-token-83b1f2';

/**
 * `effect`: `null` if nothing changed. `found`: the campaign just before a write; `null` for a read, or if it does not
 * exist. `told`: the statuses that the response to a read shows, by campaign id.
 */
export interface Recorded {
  method: string;
  path: string;
  query: string;
  body: unknown;
  status: number | 'reset';
  effect: string | null;
  found: StoredCampaign | null;
  told: ReadonlyMap<number, string>;
}

export interface Habits {
  /** Status of a new campaign. */
  createdAs: string;
  /** Schedule of a new campaign. */
  schedule: StoredCampaign['schedule'];
  /** Words for statuses; an empty text hides the status. */
  words: Readonly<Record<string, string>>;
  /** The status in every record; if empty, the one in the list. */
  stale: string;
  /** Milliseconds by which reads lag behind writes. */
  lag: number;
  /** Milliseconds until leads attached to an active campaign are counted. */
  sync: number;
  /** Settings that an update accepts and does not store. */
  ignores: readonly (keyof StoredCampaign['settings'])[];
}

/**
 * Replaces the response to one request. `effect`: true if the request still takes effect. `cut`: the real response, cut off
 * in the middle.
 */
export type Fault = (Answer | { reset: true } | { cut: true }) & { effect: boolean };

export interface Service {
  store: Store;
  requests: Recorded[];
  violations: string[];
  /** `null` closes the connection without a response. */
  answer(arrived: Arrived): Reply | null;
  /** Applies the fault to the next request with this method and path (without the query). Several faults are queued. */
  answerThen(method: string, path: string, fault: Fault): void;
  /** Applies the fault to the nth request, counted from 1. */
  answerAt(number: number, fault: Fault): void;
  /** Removes all faults. Returns how many were used since the last call. */
  calm(): number;
  /** Calls `act` just before the nth request or write, counted from 1. */
  actAt(number: number, act: () => void, of?: 'requests' | 'writes'): void;
  /** `now`: a monotonic clock. */
  behave(habits: Partial<Habits>, now?: () => number): void;
  writes(): Recorded[];
}

/** The service on a loopback port. */
export interface TestService extends Service {
  url: string;
  /**
   * Waits until all requests have been answered and no client is connected. After a client has died, that takes a moment.
   */
  left(): Promise<void>;
  close(): Promise<void>;
}

interface Reply extends Answer {
  headers?: Record<string, string>;
  effect?: string;
  cut?: true;
}

/** Opens a service in memory. It modifies `store`. */
export function openService(shape: Shape, store: Store): Service {
  const requests: Recorded[] = [];
  const violations: string[] = [];
  const queued: { method: string; path: string; fault: Fault }[] = [];
  const numbered = new Map<number, Fault>();
  const arrivals = { requests: 0, writes: 0 };
  let struck = 0;
  const acts = new Map<string, () => void>();
  let habits: Habits = {
    createdAs: 'draft',
    schedule: null,
    words: {},
    stale: '',
    lag: 0,
    sync: 0,
    ignores: [],
  };
  let now = () => 0;
  /** Leads that `total_leads` does not include yet. */
  let uncounted: { id: number; until: number; leads: number }[] = [];
  const past: { until: number; campaigns: StoredCampaign[] }[] = [];
  let result = new Map<number, string>();
  const backend = openBackend(store, shape);

  function answer(arrived: Arrived): Reply | null {
    const { method, url, body = null } = arrived;
    const fault = faultFor(method, url.pathname);
    acts.get(`requests ${arrivals.requests}`)?.();
    if (method !== 'GET') acts.get(`writes ${arrivals.writes}`)?.();
    const match = method === 'GET' ? null : seen(url.pathname);
    result = new Map();
    const reply = fault === null || fault.effect ? answerTo(arrived) : null;
    const { effect = null } = reply ?? {};
    const { pathname: path, searchParams: query } = url;
    const status = fault === null ? (reply?.status ?? 0) : 'status' in fault ? fault.status : 'reset';
    requests.push({
      method,
      path,
      query: query.toString(),
      body,
      status,
      effect,
      found: match,
      told: fault === null ? result : new Map(),
    });
    if (fault === null) return reply;
    struck += 1;
    if ('cut' in fault) return reply && { ...reply, cut: true };
    return 'reset' in fault ? null : { ...reply, status: fault.status, body: fault.body };
  }

  function seen(path: string): Recorded['found'] {
    return structuredClone(campaignOf(store.campaigns, Number(path.split('/')[3])) ?? null);
  }

  function faultFor(method: string, path: string): Fault | null {
    arrivals.requests += 1;
    if (method !== 'GET') arrivals.writes += 1;
    const at = queued.findIndex((each) => each.method === method && each.path === path);
    const [next] = at < 0 ? [] : queued.splice(at, 1);
    return next?.fault ?? numbered.get(arrivals.requests) ?? null;
  }

  function answerTo(arrived: Arrived): Reply {
    const { method, url, authorization } = arrived;
    const { endpoint, id, violations: matches } = judge(arrived);
    const at = `${method} ${url.pathname}`;
    if (authorization !== `Bearer ${TOKEN}`) {
      violations.push(`${at}: authorization ${authorization}`);
      return { status: 401, body: { message: 'Unauthenticated.' } };
    }
    violations.push(...matches.map((violation) => `${at}: ${violation}`));
    if (endpoint === null)
      return { status: 404, body: { message: `The route ${url.pathname} could not be found.` } };
    if (matches.length > 0) return refusedAnswer(422, matches, shape);
    if (endpoint.list) return list(endpoint.name, url);
    const body = isRecord(arrived.body) ? arrived.body : {};
    if (method !== 'GET' && habits.lag > 0)
      past.push({ until: now(), campaigns: structuredClone(store.campaigns) });
    if (endpoint.name === 'create') return written('create', make(body));
    const write = WRITES[endpoint.name];
    const campaign = campaignOf(write === undefined ? shown() : store.campaigns, id);
    if (campaign === undefined) return noneAnswer('campaign', shape);
    if (write === undefined) {
      const seen = endpoint.name === 'campaign' ? read(campaign, shape.status === 'shown') : campaign;
      return readAnswer(endpoint.name, { ...seen, status: habits.stale || seen.status }, shape);
    }
    const leads = leadsOf(campaign);
    const { settings } = campaign;
    const effect = write(campaign, body, backend);
    for (const name of habits.ignores) Object.assign(campaign.settings, { [name]: settings[name] });
    if (habits.sync > 0 && campaign.status === 'active')
      uncounted.push({ id, until: now() + habits.sync, leads: leadsOf(campaign) - leads });
    return written(endpoint.name, effect);
  }

  function make(body: Record<string, unknown>): Effect {
    const effect = create(body, backend);
    if (effect.kind === 'done')
      Object.assign(effect.campaign, { status: habits.createdAs, schedule: habits.schedule });
    return effect;
  }

  /** A campaign as shown: with its status in the service's words, and without uncounted leads. */
  function dressed(campaign: StoredCampaign): StoredCampaign {
    uncounted = uncounted.filter(({ until }) => until > now());
    const values = uncounted.filter(({ id }) => id === campaign.id);
    const status = habits.words[campaign.status] ?? campaign.status;
    return { ...campaign, status, uncounted: values.reduce((sum, { leads }) => sum + leads, 0) };
  }

  function read(campaign: StoredCampaign, isTold: boolean): StoredCampaign {
    // A lagging copy is never ahead.
    const { id, status } = store.campaigns.includes(campaign) ? advanced(campaign) : campaign;
    if (isTold) result.set(id, status);
    return dressed(campaign);
  }

  function shown(): StoredCampaign[] {
    const since = now() - habits.lag;
    return past.find(({ until }) => until > since)?.campaigns ?? store.campaigns;
  }

  function list(name: string, url: URL): Reply {
    const asked = { query: url.searchParams, url: `${url.origin}${url.pathname}`, name };
    const page =
      name === 'templates'
        ? pageOf(store.templates, (template) => templateRecord(template, shape), asked, shape)
        : pageOf(shown(), (campaign) => campaignRow(read(campaign, showsStatus(shape)), shape), asked, shape);
    if (page !== null) return { status: 200, ...page };
    return { status: shape.list === 'numbered-404' ? 404 : 422, body: { message: 'No such page.' } };
  }

  function written(name: string, effect: Effect): Reply {
    if (effect.kind === 'refused') return refusedAnswer(effect.status, [effect.message], shape);
    const answered = writtenAnswer(name, dressed(effect.campaign), shape);
    return effect.kind === 'done' ? { ...answered, effect: effect.effect } : answered;
  }

  return {
    store,
    requests,
    violations,
    answer,
    answerThen: (method, path, fault) => void queued.push({ method, path, fault }),
    answerAt: (number, fault) => void numbered.set(number, fault),
    calm() {
      queued.splice(0);
      numbered.clear();
      acts.clear();
      const faults = struck;
      struck = 0;
      return faults;
    },
    actAt: (number, act, of = 'requests') => void acts.set(`${of} ${number}`, act),
    behave(how, clock = now) {
      habits = { ...habits, ...how };
      now = clock;
    },
    writes: () => requests.filter(({ method }) => method !== 'GET'),
  };
}

/** Each read advances a launch. */
function advanced(campaign: StoredCampaign): StoredCampaign {
  const now = campaign.pending.shift();
  if (now !== undefined) campaign.status = now;
  return campaign;
}

/** Starts a service on a loopback port. It modifies `store`. `latency`: milliseconds before each response. */
export async function startService(
  shape: Shape,
  store: Store,
  { latency = 0, port: asked = 0 } = {},
): Promise<TestService> {
  const service = openService(shape, store);
  let underway = 0;
  const server = createServer((request, response) => {
    underway += 1;
    arrival(request)
      .then(async (arrived) => {
        if (latency > 0) await wait(latency);
        send(response, service.answer(arrived));
      })
      .catch((error: unknown) => {
        // A request whose client was killed while sending it never arrived.
        if (request.errored !== null && !request.complete) return;
        const cause = error instanceof Error ? error.stack : String(error);
        service.violations.push(`the test service broke: ${cause}`);
        response.writeHead(500).end();
      })
      .finally(() => {
        underway -= 1;
      });
  });
  const connected = promisify(server.getConnections.bind(server));
  return {
    ...service,
    ...(await listenOn(server, asked)),
    async left() {
      while (underway > 0 || (await connected()) > 0) await wait(1);
    },
  };
}

async function arrival(request: IncomingMessage): Promise<Arrived> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return {
    method: request.method ?? '',
    url: new URL(request.url ?? '/', `http://${request.headers.host}`),
    authorization: request.headers.authorization,
    contentType: request.headers['content-type'],
    body: text === '' ? undefined : JSON.parse(text),
  };
}

/** Sends a text unchanged: HTML or garbage. */
function send(response: ServerResponse, reply: Reply | null): void {
  if (reply === null) {
    response.destroy();
    return;
  }
  const { status, body, headers, cut } = reply;
  if (cut) {
    const text = JSON.stringify(body ?? null);
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': text.length + 9 });
    response.write(text, () => response.destroy());
    return;
  }
  if (typeof body === 'string') {
    response.writeHead(status, { 'content-type': 'text/html' }).end(body);
    return;
  }
  response.writeHead(status, { ...headers, 'content-type': 'application/json; charset=utf-8' });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}
