import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { pipeline } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { listenOn } from '../../support/listen.js';
import type { Started } from '../../support/program.js';
import { SCHEDULE } from '../../support/project.js';
import { fault } from '../../support/service/faults.js';
import { startService, type TestService } from '../../support/service/service.js';
import { type Shape, shaped } from '../../support/service/shape.js';
import { shape as anyShape, type Scenario } from './draws.js';
import { counter } from './life.js';
import { fastClock, type Signal, signal, start } from './processes.js';

const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const NAMES = ['Spring', 'Summer', 'Autumn'];
const manifest = (name: string) => `name: ${name}
${SCHEDULE}sequence: { title: ${name}, steps: [{ email_subject: Hi, email_body: Hello, wait_in_days: 1 }] }
leads: { lists: [1] }
status: running
`;

/** Forwards each request to `url` once `turn` has resolved for it. */
async function between(url: string, turn: (request: IncomingMessage) => Promise<void>): Promise<string> {
  const pass = async (asked: IncomingMessage, answer: ServerResponse) => {
    await turn(asked);
    const headers = { ...asked.headers, connection: 'close' };
    const on = request(new URL(asked.url ?? '/', url), { method: asked.method ?? 'GET', headers }, (came) => {
      answer.writeHead(came.statusCode ?? 502, came.headers);
      pipeline(came, answer, () => undefined);
    });
    // The client was killed, or the service closed the connection.
    on.on('error', () => answer.destroy());
    answer.on('close', () => on.destroy());
    asked.pipe(on);
  };
  const proxy = createServer((asked, answer) => void pass(asked, answer));
  const { url: address, close } = await listenOn(proxy);
  open.push(close);
  return address;
}

type Turn = (of: number, request: IncomingMessage) => Promise<void>;

interface Options {
  lag?: Scenario['lag'];
  beside?(service: TestService, children: readonly Started[]): void;
  /** Default: three campaigns. */
  names?: readonly string[];
  again?: number;
}

/** Applies the same project from two folders. `turn`: resolves when a request of folder 0 or 1 may be forwarded. */
async function applyTwice(
  shape: Shape,
  turn: Turn,
  { lag = 0, beside, names: all = NAMES, again = 0 }: Options = {},
) {
  const service = await startService(shape, { campaigns: [], templates: [] });
  open.push(() => service.close());
  const clock = fastClock({ lag });
  service.behave({ lag }, clock.elapsed);
  let isOver = false;
  const passed: Turn = async (of, request) => (isOver ? undefined : turn(of, request));
  const addresses = await Promise.all(
    [0, 1].map((of) => between(service.url, (request) => passed(of, request))),
  );
  const variants = shape.variants === 'order' ? ', service: { variant_reference: order }' : '';
  return withFolder(async (folder) => {
    const run = (of: number) => {
      const argv = ['apply', '--yes', '--allow', 'launch', '--allow', 'shared-leads'];
      return start(`${folder}/${of}`, argv, clock.now());
    };
    for (const [of, address] of addresses.entries()) {
      const files = all.map((name) => [`campaigns/${name}.yaml`, manifest(name)]);
      const environment = `production: { base_url: "${address}", token_env: CAMPAIGNS_TOKEN${variants} }`;
      const project = `version: 1\nmanifests: ["campaigns/*.yaml"]\nenvironments: { ${environment} }\n`;
      await writeFiles(`${folder}/${of}`, { ...Object.fromEntries(files), 'campaignctl.yaml': project });
    }
    const children = [0, 1].map(run);
    beside?.(service, children);
    const ended = await Promise.all(children.map((child) => child.ended));
    isOver = true;
    const faults = service.calm();
    for (let of = 0; of < 2 * again; of += 1) {
      await clock.sleep(10_000);
      await run(of % 2).ended;
    }
    expect(service.violations).toEqual([]);
    const launched = service.writes().filter(({ effect }) => effect === 'resumed');
    const names = launched.map(({ found: match }) => match?.name);
    return {
      service,
      ended,
      faults,
      launched,
      names,
      made: service.store.campaigns.map(({ name }) => name).sort(),
    };
  });
}

test('a client that is killed in the middle of a request does not break the test service', async () => {
  const service = await startService(shaped({}), { campaigns: [], templates: [] });
  open.push(() => service.close());
  const address = await between(service.url, async () => {});
  for (const url of [service.url, address]) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write('POST /api/campaigns HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n{');
    await wait(50);
    socket.destroy();
    await wait(50);
  }
  expect([service.violations, service.requests]).toEqual([[], []]);
});

/** A promise that resolves once it was awaited by `count`. */
function meeting(count: number): () => Promise<void> {
  let [there, go] = [0, () => {}];
  const all = new Promise<void>((resolve) => {
    go = resolve;
  });
  return () => {
    there += 1;
    if (there >= count) go();
    return all;
  };
}

const TWICE = NAMES.flatMap((name) => [name, name]).sort();

test.each([
  shaped({ pageSize: 2 }),
  shaped({
    ...{ list: 'numbered-silent', pageSize: 2, rows: 'id-name', createAnswer: 'only-id', resume: 'queued' },
  }),
])(
  'of two checkouts that see an empty workspace at the same time, at most one launches each campaign: %#',
  async (shape) => {
    // Neither creates anything before both have read the list, so every campaign is created twice.
    const both = meeting(2);
    const met: Promise<void>[] = [];
    const {
      ended,
      names,
      made: created,
    } = await applyTwice(shape, async (of, { method }) => {
      if (method === 'GET') return;
      met[of] ??= both();
      await met[of];
    });
    expect(created).toEqual(TWICE);
    expect(new Set(names).size).toBe(names.length);
    const lines = ended.map(({ out, err }) => out + err);
    expect(Math.max(...ended.map(({ code }) => code))).toBe(4);
    for (const name of NAMES)
      expect(lines.some((text) => text.includes(`2 campaigns called "${name}"`))).toBe(true);
  },
);

test('if one has launched before the other creates, the other launches nothing and says so', async () => {
  // The second has read the empty list, and creates only once the first has finished.
  const both = meeting(2);
  let ends = () => {};
  const through = new Promise<void>((resolve) => {
    ends = resolve;
  });
  const met: Promise<void>[] = [];
  let resumed = 0;
  const {
    ended,
    names,
    made: created,
  } = await applyTwice(shaped({}), async (of, { method, url = '' }) => {
    if (of === 0 && url.endsWith('/resume')) resumed += 1;
    if (of === 0 && resumed === NAMES.length && method === 'GET') ends();
    if (method === 'GET') return;
    met[of] ??= both();
    await met[of];
    if (of === 1) await through;
  });
  expect(created).toEqual(TWICE);
  expect([...names].sort()).toEqual([...NAMES].sort());
  const [first, second] = ended;
  expect(first?.code).toBe(0);
  expect(second?.code).toBe(4);
  expect((second?.out ?? '').match(/it was not sent: the service has 2 campaigns called/g)).toHaveLength(
    NAMES.length,
  );
});

const CASES = Number(process.env.TRUST_CASES ?? 1);
const SEED = Number(process.env.TRUST_SEED ?? 20261122);
const count = counter();

const twice = fc.record({
  shape: anyShape.map(
    (drawn): Shape => ({
      ...drawn,
      status: 'shown',
      resume: drawn.resume === 'failed' ? 'queued' : drawn.resume,
    }),
  ),
  lag: fc.constantFrom(0, 0, 2_000, 7_000),
  /** Milliseconds by which each request of the two is delayed. */
  turns: fc.array(fc.nat({ max: 20 }), { minLength: 20, maxLength: 60 }),
  names: fc.constantFrom(1, 1, 2, 3).map((many) => NAMES.slice(0, many)),
  again: fc.constantFrom(0, 0, 1),
  /** Milliseconds by which one of them starts late. */
  late: fc.tuple(fc.constantFrom(0, 1), fc.nat({ max: 300 })),
  signals: fc.tuple(fc.option(signal, { freq: 2 }), fc.option(signal, { freq: 2 })),
  faults: fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fault), { maxLength: 2 }),
});
type Twice = typeof twice extends fc.Arbitrary<infer Value> ? Value : never;

function strike({ name, when }: Signal, child: Started, service: TestService): void {
  const kill = () => {
    child.kill(name);
    count('signals');
  };
  if ('ms' in when) setTimeout(kill, when.ms);
  else service.actAt(when.request, kill);
}

async function survives({
  shape,
  lag,
  names: all,
  again,
  turns,
  late,
  signals,
  faults,
}: Twice): Promise<void> {
  let arrived = 0;
  const turn = async (of: number) => {
    const held = turns[arrived++ % turns.length] ?? 0;
    await wait(held + (late[0] === of && arrived < 9 ? late[1] : 0));
  };
  const beside: Options['beside'] = (service, children) => {
    for (const [number, what] of faults) service.answerAt(number, what);
    for (const [of, child] of children.entries()) {
      const local = signals[of];
      if (local) strike(local, child, service);
    }
  };
  const {
    service,
    ended,
    launched,
    names,
    made: created,
    ...seen
  } = await applyTwice(shape, turn, {
    lag,
    beside,
    names: all,
    again,
  });
  for (const close of open.splice(0)) await close();
  count('cases');
  count('requests that changed something', service.writes().filter(({ effect }) => effect !== null).length);
  count('launches', launched.length);
  count('faults', seen.faults);
  count('campaigns made twice', created.length - new Set(created).size);
  for (const { code } of ended) count(`ended: ${code}`);
  const text = ended.map(({ code, out, err }) => `${code}\n${out}${err}`).join('\n');
  expect(new Set(names).size, `launched: ${names}\n${text}`).toBe(names.length);
  for (const { found: match } of launched) {
    expect(match?.lists, text).toEqual([1]);
    expect(match?.steps, text).toHaveLength(1);
    expect(match?.schedule, text).not.toBeNull();
  }
  for (const { lists, steps } of service.store.campaigns) {
    expect(lists.length, text).toBeLessThan(2);
    expect(steps.length, text).toBeLessThan(2);
  }
  for (const { code } of ended) {
    expect([0, 1, 3, 4, 130, -1], text).toContain(code);
    if (code === 0) expect(new Set(names), text).toEqual(new Set(all));
  }
  const isQuiet = faults.length === 0 && signals.every((each) => each === null);
  if (isQuiet && created.length > all.length)
    expect(
      ended.map(({ code }) => code),
      text,
    ).toContain(4);
}

test(`${CASES} cases from seed ${SEED}`, { timeout: 60_000 + CASES * 20_000 }, () =>
  // Cases are not shrunk, because that would take hours.
  fc.assert(fc.asyncProperty(twice, survives), { numRuns: CASES, seed: SEED, endOnFailure: true }),
);
