import { spawn } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../../src/model/json.js';

const modeline = (schema: string) => `# yaml-language-server: $schema=../schemas/${schema}.schema.json\n`;
const MODELINE = modeline('campaign');

let editor: Editor;
beforeAll(() => {
  editor = startEditor(fileURLToPath(new URL('../../../examples/typed-by-hand.yaml', import.meta.url)));
});
afterAll(() => editor.close());

async function offered(text: string, schema = 'campaign'): Promise<string[]> {
  await editor.open(`${modeline(schema)}${text}`);
  const lines = text.split('\n');
  const position = { line: lines.length, character: lines.at(-1)?.length ?? 0 };
  const answer = await editor.request('textDocument/completion', position);
  const items = isObject(answer) ? answer.items : answer;
  return (Array.isArray(items) ? items : []).flatMap((item) => (isObject(item) ? [String(item.label)] : []));
}

async function underlined(
  text: string,
  schema = 'campaign',
): Promise<[line: Json | undefined, message: string][]> {
  const diagnostics = await editor.open(`${modeline(schema)}${text}`);
  return diagnostics.map(({ range, message }) => {
    const start = isObject(range) && isObject(range.start) ? range.start : {};
    return [start.line, String(message)];
  });
}

test.each([
  ['', ['name', 'for_each', 'settings', 'schedule', 'sequence', 'leads', 'status']],
  ['name: Spring\nsettings:\n  ', ['max_emails_per_day', 'can_unsubscribe', 'unsubscribe_text']],
  ['name: Spring\nschedule:\n  ', ['days', 'timezone', 'template', 'use']],
  ['name: Spring\nschedule:\n  timezone: ', ['Europe/Paris', 'Pacific/Tongatapu']],
  ['name: Spring\nsequence:\n  ', ['title', 'steps', 'use']],
  ['name: Spring\nstatus: ', ['running', 'paused']],
])('keys, words and time zones are completed: %j', async (text, labels) => {
  expect(await offered(text)).toEqual(expect.arrayContaining(labels));
});

test('a key has a description under its name', async () => {
  const manifest =
    'name: Spring\nsettings:\n  reputation_building: true\nschedule:\n  start_time: "09:00"\nstatus: paused\n';
  await editor.open(`${MODELINE}${manifest}`);
  const lines = [1, 2, 3, 4, 5, 6].map((line) =>
    editor.request('textDocument/hover', { line, character: 3 }),
  );
  const shown = (await Promise.all(lines)).map((hover) => JSON.stringify(hover));
  expect(shown[2]).toContain('Spam protection');
  expect(shown.map((text) => /#### (.+?)\\n/.exec(text)?.[1]?.replaceAll('\\', ''))).toEqual([
    'name',
    'settings',
    'reputation_building',
    'schedule',
    'start_time',
    'status',
  ]);
});

test('an invalid time is reported with the format of times, and an invalid section by its name', async () => {
  const wrong =
    'name: Spring\nschedule: { days: [monday], start_time: "9:00", end_time: "17:00", timezone: Europe/Paris }\nleads: 3\n';
  expect(await underlined(wrong)).toEqual([
    [2, expect.stringMatching(/^A time is HH:MM/)],
    [3, 'Incorrect type. Expected "leads".'],
  ]);
});

test('a misspelt key and a wrong time zone are underlined; a good manifest is not', async () => {
  expect(await underlined('name: Spring\nsetings:\n  plain_text: true\n')).toEqual([
    [2, 'Property setings is not allowed.'],
  ]);
  const schedule = (timezone: string) =>
    `name: Spring\nschedule:\n  days: [monday]\n  start_time: "09:00"\n  end_time: "17:00"\n  timezone: ${timezone}\n`;
  const [first, ...others] = await underlined(schedule('Europe/Pari'));
  expect([first?.[0], others]).toEqual([6, []]);
  expect(first?.[1]).toContain('Value is not accepted');
  expect(await underlined(schedule('Europe/Paris'))).toEqual([]);
});

test('expressions can replace numbers, words and lists, and a file can replace a section', async () => {
  const manifest = (cap: string) => `for_each: [{ segment: France, cap: 200 }, 7, Spain]
name: Installers \${{ segment }}
id: "\${{ id }}"
status: \${{ status }}
settings: { max_emails_per_day: ${cap}, plain_text: "\${{ plain }}" }
schedule:
  days: ["\${{ day }}", monday]
  start_time: "\${{ hour }}:00"
  end_time: "17:00"
  timezone: \${{ zone }}
sequence: { use: ../sequences/installers.yaml }
leads: { lists: "\${{ lists }}", ids: ["\${{ id }}"] }
environments:
  production: { schedule: { use: ../schedules/office.yaml }, sequence: { title: "\${{ segment }}" } }
`;
  expect(await underlined(manifest('"${{ cap }}"'))).toEqual([]);
  const wrong = await underlined(manifest('many'));
  expect(wrong.map(([line]) => line)).toEqual([5]);
  expect((await underlined('name: A\nfor_each: []\n')).map(([line]) => line)).toEqual([2]);
  const mixed = 'name: A\nsequence: { use: a.yaml, title: B }\n';
  expect((await underlined(mixed)).map(([line]) => line)).toEqual([2]);
});

test.each([
  ['project', '', ['version', 'extends', 'manifests', 'environments']],
  ['extends', '', ['version', 'defaults', 'policies', 'lint', 'shared']],
  ['extends', 'defaults:\n  ', ['custom_variables', 'on_removal', 'capacity', 'limits']],
  ['extends', 'policies:\n  recommended:\n    ', ['follow-up', 'few-links']],
])(
  'keys of a project file and of the file that it extends are completed: %s, %j',
  async (schema, text, labels) => {
    expect(await offered(text, schema)).toEqual(expect.arrayContaining(labels));
  },
);

test('what an extended file cannot have is underlined, and a project file can name it', async () => {
  const project = 'version: 1\nmanifests: [a.yaml]\nenvironments: { sandbox: { sandbox: {} } }\n';
  expect(await underlined(`${project}extends: ../../agency.yaml\n`, 'project')).toEqual([]);
  expect(await underlined(`${project}extends: /etc/agency.yaml\n`, 'project')).toEqual([
    [4, expect.stringContaining('Write a path relative to this file')],
  ]);
  expect(await underlined('defaults: { capacity: 500 }\nshared: [shared]\n', 'extends')).toEqual([]);
  const wrong = 'extends: other.yaml\nenvironments: {}\ndefaults: { capacity: many }\n';
  expect((await underlined(wrong, 'extends')).map(([line]) => line).sort()).toEqual([1, 2, 3]);
});

const SERVER = fileURLToPath(
  new URL('../../../node_modules/yaml-language-server/bin/yaml-language-server', import.meta.url),
);

/** An editor with one open document, speaking to the real yaml-language-server over its standard input and output. */
interface Editor {
  open(text: string): Promise<JsonObject[]>;
  request(method: string, position: { line: number; character: number }): Promise<Json>;
  close(): void;
}

/** Starts the server for a document with this name, offline, so that schemas come only from files. */
function startEditor(file: string): Editor {
  const child = spawn(process.execPath, [SERVER, '--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const uri = pathToFileURL(file).href;
  const waiting = new Map<string, (value: Json) => void>();
  let version = 0;
  let buffer = Buffer.alloc(0);

  const send = (message: JsonObject) => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  };
  const answer = (key: string) => new Promise<Json>((resolve) => waiting.set(key, resolve));
  const resolveWaiting = (key: string, value: Json) => {
    waiting.get(key)?.(value);
    waiting.delete(key);
  };
  const receive = (message: JsonObject) => {
    const { method, id, params, result } = message;
    if (method === 'workspace/configuration') {
      const settings = { validate: true, completion: true, hover: true, schemaStore: { enable: false } };
      send({
        id: id ?? null,
        result: sections(params).map((section) => (section === 'yaml' ? settings : null)),
      });
    } else if (method === 'textDocument/publishDiagnostics' && isObject(params)) {
      resolveWaiting(`diagnostics ${params.version ?? version}`, params.diagnostics ?? []);
    } else if (method !== undefined && id !== undefined) send({ id, result: null });
    else if (id !== undefined) resolveWaiting(`answer ${id}`, result ?? null);
  };
  child.stdout.on('data', (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      const head = buffer.indexOf('\r\n\r\n');
      const length = Number(
        /Content-Length: (\d+)/.exec(buffer.subarray(0, Math.max(head, 0)).toString())?.[1],
      );
      if (head < 0 || buffer.length < head + 4 + length) return;
      const text = buffer.subarray(head + 4, head + 4 + length).toString();
      buffer = buffer.subarray(head + 4 + length);
      receive(JSON.parse(text));
    }
  });

  let requests = 0;
  const ask = (method: string, params: JsonObject) => {
    requests += 1;
    const answered = answer(`answer ${requests}`);
    send({ id: requests, method, params });
    return answered;
  };
  const ready = ask('initialize', {
    processId: process.pid,
    rootUri: null,
    capabilities: { workspace: { configuration: true }, textDocument: { completion: {}, hover: {} } },
  }).then(() => send({ method: 'initialized', params: {} }));

  return {
    async open(text) {
      await ready;
      version += 1;
      const published = answer(`diagnostics ${version}`);
      const textDocument = { uri, languageId: 'yaml', version };
      if (version === 1)
        send({ method: 'textDocument/didOpen', params: { textDocument: { ...textDocument, text } } });
      else send({ method: 'textDocument/didChange', params: { textDocument, contentChanges: [{ text }] } });
      const diagnostics = await published;
      return Array.isArray(diagnostics) ? diagnostics.filter(isObject) : [];
    },
    request: (method, position) => ask(method, { textDocument: { uri }, position }),
    close: () => void child.kill(),
  };
}

function sections(params: Json | undefined): Json[] {
  const items = isObject(params) ? params.items : null;
  return Array.isArray(items) ? items.map((item) => (isObject(item) ? (item.section ?? null) : null)) : [];
}
