import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isObject, type Json } from '../../../src/model/json.js';
import { type Editor, startEditor } from './editor.js';

const MODELINE = '# yaml-language-server: $schema=../schemas/campaign.schema.json\n';

let editor: Editor;
beforeAll(() => {
  editor = startEditor(fileURLToPath(new URL('../../../examples/typed-by-hand.yaml', import.meta.url)));
});
afterAll(() => editor.close());

/** What the editor offers where the text ends. */
async function offered(text: string): Promise<string[]> {
  await editor.open(`${MODELINE}${text}`);
  const lines = text.split('\n');
  const position = { line: lines.length, character: lines.at(-1)?.length ?? 0 };
  const answer = await editor.request('textDocument/completion', position);
  const items = isObject(answer) ? answer.items : answer;
  return (Array.isArray(items) ? items : []).flatMap((item) => (isObject(item) ? [String(item.label)] : []));
}

async function underlined(text: string): Promise<[line: Json | undefined, message: string][]> {
  const diagnostics = await editor.open(`${MODELINE}${text}`);
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

test('a key explains itself, under its own name', async () => {
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

test('a wrong time is told how times are written, and a wrong section by its name', async () => {
  const wrong =
    'name: Spring\nschedule: { days: [monday], start_time: "9:00", end_time: "17:00", timezone: Europe/Paris }\nleads: 3\n';
  expect(await underlined(wrong)).toEqual([
    [2, 'A time is HH:MM, 24 hours, with leading zeros: "09:00".'],
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

test('expressions may stand for numbers, words and lists, and a file for a section', async () => {
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
