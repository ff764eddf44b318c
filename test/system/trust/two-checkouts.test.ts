import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { type Ended, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService, TOKEN } from '../../support/service/service.js';
import { type Shape, shaped } from '../../support/service/shape.js';

/** The built program: `npm test` builds it first. */
const PROGRAM = fileURLToPath(new URL('../../../dist/campaignctl.cjs', import.meta.url));
const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const NAMES = ['Spring', 'Summer', 'Autumn'];
const manifest = (name: string) => `name: ${name}
schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }
sequence:
  title: ${name}
  steps: [{ email_subject: Hi, email_body: Hello, wait_in_days: 1 }]
status: running
`;

function apply(folder: string): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH, CAMPAIGNS_TOKEN: TOKEN };
    const argv = [PROGRAM, 'apply', '--yes', '--allow', 'launch'];
    execFile(process.execPath, argv, { cwd: folder, env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    }).stdin?.end();
  });
}

/** Passes everything on to `url`, once `turn` has resolved for it. */
async function between(url: string, turn: (request: IncomingMessage) => Promise<void>): Promise<string> {
  const pass = async (asked: IncomingMessage, answer: ServerResponse) => {
    await turn(asked);
    const headers = { ...asked.headers, connection: 'close' };
    const on = request(new URL(asked.url ?? '/', url), { method: asked.method ?? 'GET', headers }, (came) => {
      answer.writeHead(came.statusCode ?? 502, came.headers);
      came.pipe(answer);
    });
    asked.pipe(on);
  };
  const proxy = createServer((asked, answer) => void pass(asked, answer));
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  open.push(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

/** Applies the same project from two folders. `turn`: when a request of folder 0 or 1 is passed on. */
async function applyTwice(shape: Shape, turn: (of: number, request: IncomingMessage) => Promise<void>) {
  const service = await startService(shape, { campaigns: [], templates: [] });
  open.push(() => service.close());
  const addresses = [0, 1].map((of) => between(service.url, (request) => turn(of, request)));
  const ended = await Promise.all(
    addresses.map((address) =>
      withFolder(async (folder) => {
        const files = NAMES.map((name) => [`campaigns/${name}.yaml`, manifest(name)]);
        const environment = `production: { base_url: "${await address}", token_env: CAMPAIGNS_TOKEN }`;
        const project = `version: 1\nmanifests: ["campaigns/*.yaml"]\nenvironments: { ${environment} }\n`;
        await writeFiles(folder, { ...Object.fromEntries(files), 'campaignctl.yaml': project });
        return apply(folder);
      }),
    ),
  );
  expect(service.violations).toEqual([]);
  const launched = service.writes().filter(({ effect }) => effect === 'resumed');
  const names = launched.map(({ found }) => found?.name);
  return { ended, names, made: service.store.campaigns.map(({ name }) => name).sort() };
}

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
  shaped({ list: 'numbered-silent', pageSize: 2, rows: 'id-name', createAnswer: 'only-id' }),
  shaped({ list: 'cursor-token', resume: 'queued' }),
])(
  'of two checkouts that see an empty workspace at once, at most one launches each campaign: %#',
  async (shape) => {
    // Neither creates anything before both have read the list: every campaign is made twice.
    const both = meeting(2);
    const met: Promise<void>[] = [];
    const { ended, names, made } = await applyTwice(shape, async (of, { method }) => {
      if (method === 'GET') return;
      met[of] ??= both();
      await met[of];
    });
    expect(made).toEqual(TWICE);
    expect(new Set(names).size).toBe(names.length);
    const said = ended.map(({ out, err }) => out + err);
    expect(Math.max(...ended.map(({ code }) => code))).toBe(4);
    for (const name of NAMES)
      expect(said.some((text) => text.includes(`the service has 2 campaigns called "${name}"`))).toBe(true);
  },
);

test('where one has launched before the other creates, the other launches nothing and says so', async () => {
  // The second has read the empty list, and creates only once the first is through.
  const both = meeting(2);
  let ends = () => {};
  const through = new Promise<void>((resolve) => {
    ends = resolve;
  });
  const met: Promise<void>[] = [];
  let resumed = 0;
  const { ended, names, made } = await applyTwice(shaped({}), async (of, { method, url = '' }) => {
    if (of === 0 && url.endsWith('/resume')) resumed += 1;
    if (of === 0 && resumed === NAMES.length && method === 'GET') ends();
    if (method === 'GET') return;
    met[of] ??= both();
    await met[of];
    if (of === 1) await through;
  });
  expect(made).toEqual(TWICE);
  expect([...names].sort()).toEqual([...NAMES].sort());
  const [first, second] = ended;
  expect(first?.code).toBe(0);
  expect(second?.code).toBe(4);
  expect((second?.out ?? '').match(/the service has 2 campaigns called/g)).toHaveLength(NAMES.length);
});
