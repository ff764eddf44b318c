/**
 * A service written only from the API document. Its shape fills every gap that the document leaves open. It keeps what is
 * written, records each write that it accepts, and refuses what the document does not allow.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOn } from '../listen.js';
import {
  campaignResponse,
  createdResponse,
  listResponse,
  PAGE,
  type Response,
  refusedResponse,
  scheduleResponse,
  stepsResponse,
  templatesResponse,
  writtenResponse,
} from './bodies.js';
import type { Literal } from './shape.js';
import { type Campaign, createCampaign, Refusal, type Store, WRITES } from './store.js';

export const LITERAL_TOKEN = 'literal-token-5d20c7';

export interface AcceptedWrite {
  method: string;
  path: string;
  body: unknown;
}

export interface LiteralService {
  url: string;
  store: Store;
  writes: AcceptedWrite[];
  /** Method, path and reason of each refused request, without refused queries. */
  refusals: string[];
  /** Closes the connection instead of answering the next write to a path with this end. The write takes effect. */
  loseAnswerTo(end: string): void;
  close(): Promise<void>;
}

interface Request {
  method: string;
  url: URL;
  authorization: string | undefined;
  type: string | undefined;
  body: unknown;
}

const LIST = '/api/campaigns';
const TEMPLATES = `${LIST}/schedule/templates`;

/** Starts the service on a loopback port. */
export async function startLiteralService(shape: Literal): Promise<LiteralService> {
  const store: Store = { campaigns: [], templates: [], lastId: 100 };
  if (shape.others === 'two') {
    createCampaign(store, { name: 'Autumn installers' });
    Object.assign(createCampaign(store, { name: 'Winter' }), { state: 'active', launches: 1 });
  }
  const writes: AcceptedWrite[] = [];
  const refusals: string[] = [];
  let lost: string | null = null;

  function answer(request: Request): Response {
    const { method, url, body } = request;
    const path = url.pathname;
    try {
      checkHead(request, shape);
      const response = method === 'GET' ? read(path, body) : write(method, path, body);
      if (method !== 'GET') writes.push({ method, path, body });
      return response;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!hasRefusedQuery(request, shape)) refusals.push(`${method} ${path}: ${error.message}`);
      return refusedResponse(error, shape);
    }
  }

  function read(path: string, body: unknown): Response {
    if (body !== undefined) throw new Refusal(422, 'This request takes no body.');
    if (path === LIST) return listResponse(store.campaigns, shape);
    if (path === TEMPLATES) return templatesResponse(store.templates, shape);
    const { campaign, end } = find(path);
    return shown(campaign, end);
  }

  function shown(campaign: Campaign, end: string): Response {
    if (end === '') return campaignResponse(campaign, shape);
    if (end === '/schedule') return scheduleResponse(campaign, shape);
    if (end === '/sequence-steps') return stepsResponse(campaign, shape);
    throw new Refusal(404, 'There is no such path.');
  }

  function write(method: string, path: string, body: unknown): Response {
    if (method === 'POST' && path === LIST) return createdResponse(createCampaign(store, body), shape);
    const { campaign, end } = find(path);
    const effect = WRITES[`${method} ${end}`];
    if (effect === undefined) throw new Refusal(404, 'There is no such path.');
    effect(campaign, body, store, { needsOrder: shape.order === 'required and shown' });
    const place = end.includes('schedule') ? '/schedule' : end === '/sequence-steps' ? end : '';
    return writtenResponse(shown(campaign, place), shape);
  }

  function find(path: string): { campaign: Campaign; end: string } {
    const [, id, end = ''] = /^\/api\/campaigns\/([1-9]\d*)(\/.+)?$/.exec(path) ?? [];
    const campaign = store.campaigns.find((each) => each.id === Number(id));
    if (campaign === undefined) throw new Refusal(404, 'There is no such campaign.');
    return { campaign, end };
  }

  async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = await receive(incoming);
    const { status, body } = answer(request);
    if (lost !== null && request.method !== 'GET' && request.url.pathname.endsWith(lost)) {
      lost = null;
      outgoing.destroy();
      return;
    }
    if (body === undefined) outgoing.writeHead(status).end();
    else if (body === PAGE) outgoing.writeHead(status, { 'content-type': 'text/html' }).end(PAGE.description);
    else outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  const server = createServer((incoming, outgoing) => {
    respond(incoming, outgoing).catch((error: unknown) => {
      refusals.push(`the service failed: ${error instanceof Error ? error.stack : error}`);
      outgoing.writeHead(500).end();
    });
  });
  const loseAnswerTo = (end: string) => {
    lost = end;
  };
  return { store, writes, refusals, loseAnswerTo, ...(await listenOn(server)) };
}

/** Refuses a missing token, another content type, and queries if the shape does. */
function checkHead(request: Request, shape: Literal): void {
  const { authorization, type, body } = request;
  if (authorization !== `Bearer ${LITERAL_TOKEN}`) throw new Refusal(401, 'The token is missing or wrong.');
  if (body !== undefined && type !== 'application/json') throw new Refusal(415, 'The body must be JSON.');
  if (hasRefusedQuery(request, shape)) throw new Refusal(Number(shape.queries), 'The query is unknown.');
}

function hasRefusedQuery({ url }: Request, { queries }: Literal): boolean {
  return queries !== 'ignored' && url.search !== '';
}

async function receive(incoming: IncomingMessage): Promise<Request> {
  let text = '';
  for await (const chunk of incoming) text += chunk;
  const { method = '', url = '/', headers } = incoming;
  return {
    method,
    url: new URL(url, `http://${headers.host}`),
    authorization: headers.authorization,
    type: headers['content-type'],
    body: text === '' ? undefined : JSON.parse(text),
  };
}
