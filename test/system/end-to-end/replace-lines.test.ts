/** Blocked copy ends with lines to write: pasted where the plan says, they make a campaign that takes the place of the old one. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Plan, Problem } from '../../../src/model/outputs.js';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';
import { draft } from '../../support/service/store.js';

const [OLD, NEW] = ['An address is enough.', 'A street and a town are enough.'];
const REST = `schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }
sequence:
  title: Spring
  steps:
    - { email_subject: A question, email_body: "${OLD}", wait_in_days: 3 }
`;

interface Case {
  files: Record<string, string>;
  /** What is in the service before, beside what is applied. */
  live?: { id: number; name: string }[];
  /** Of the campaigns that are planned once the lines are there: the name, and the campaign that it replaces. */
  becomes: Record<string, string>;
  /** All of the sentence that says where the lines go, but for the file. */
  where?: string;
}

const CASES: [string, Case][] = [
  ['plain', { files: { 'spring.yaml': `name: Spring\n${REST}` }, becomes: { 'Spring 2': 'Spring' } }],
  [
    'CRLF, and a comment behind the name',
    {
      files: { 'spring.yaml': `# ours\nname: Spring # of all\n${REST}`.replaceAll('\n', '\r\n') },
      becomes: { 'Spring 2': 'Spring' },
    },
  ],
  [
    'the second document of a file',
    {
      files: { 'spring.yaml': `name: Autumn\nsettings: { plain_text: true }\n---\nname: Spring\n${REST}` },
      becomes: { 'Spring 2': 'Spring' },
      where: ', document 2 in place of its name:',
    },
  ],
  [
    'a body in a file, and a name that has to be quoted',
    {
      files: {
        'spring.yaml': `name: "Spring: #1"\n${REST.replace(`email_body: "${OLD}"`, 'email_body_file: ../emails/spring.html')}`,
        '../emails/spring.html': OLD,
      },
      becomes: { 'Spring: #1 2': 'Spring: #1' },
    },
  ],
  [
    'a name that is taken',
    {
      files: { 'spring.yaml': `name: Spring\n${REST}`, 'other.yaml': 'name: Spring 3\n' },
      live: [{ id: 50, name: 'Spring 2' }],
      becomes: { 'Spring 4': 'Spring' },
    },
  ],
  [
    'one that has replaced another one',
    {
      files: { 'spring.yaml': `name: Spring 2\nreplaces: Winter\n${REST}` },
      live: [{ id: 50, name: 'Winter' }],
      becomes: { 'Spring 3': 'Spring 2' },
      where: ' in place of its name and replaces:',
    },
  ],
  [
    'a pin, of a campaign with another name',
    {
      files: { 'spring.yaml': `name: Spring\nid: 50\n${REST}` },
      live: [{ id: 50, name: 'Spring as it was' }],
      becomes: { 'Spring 2': 'Spring as it was' },
      where: ' in place of its name and id:',
    },
  ],
];

const lined = ({ lines }: Problem) => lines !== undefined;
const PLACE = /write these lines in campaigns\/([\w.]+)((?:, document (\d+))? in place of its ([\w ]+):)$/;

/** The text with the lines where the hint says. */
function pasted(text: string, [, , , document = '1', keys = '']: RegExpExecArray, lines: string[]): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const documents = text.split(`---${end}`);
  const at = Number(document) - 1;
  const written = (documents[at] ?? '').split(end);
  const places = keys.split(' and ').map((key) => written.findIndex((line) => line.startsWith(`${key}:`)));
  expect(places).not.toContain(-1);
  const kept = written.flatMap((line, index) =>
    index === places[0] ? lines : places.includes(index) ? [] : [line],
  );
  documents[at] = kept.join(end);
  return documents.join(`---${end}`);
}

it.each(CASES)('%s', async (_name, { files, live = [], becomes, where = ' in place of its name:' }) => {
  const before = live.map(({ id, name }) => draft(id, name));
  const service = await startService(shaped({ reputation: 'shown' }), { campaigns: before, templates: [] });
  try {
    await withFolder(async (folder) => {
      const write = async (change: (text: string) => string) => {
        for (const [file, text] of Object.entries(files))
          await writeFiles(folder, { [join('campaigns', file)]: change(text) });
      };
      await writeFiles(folder, {
        'campaignctl.yaml': `version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  production:\n    base_url: ${service.url}\n    token_env: CAMPAIGNS_TOKEN\n    allow: [no-leads]\n`,
      });
      const plan = async () => {
        const { out, err } = await command(folder, ['plan', '--format', 'json']);
        expect(out, err).not.toBe('');
        return JSON.parse(out) as Plan;
      };
      await write((text) => text);
      const first = await command(folder, ['apply', '--yes']);
      expect(first.code, first.out + first.err).toBe(0);
      await write((text) => text.replace(OLD, NEW));
      const problems = (await plan()).campaigns.flatMap((one) => one.problems.filter(lined));
      const [problem] = problems;
      const place = PLACE.exec(problem?.where ?? '');
      if (place === null) throw new Error(problem?.where);
      expect(place[2]).toBe(where);
      expect(new Set(problems.map(({ lines }) => lines?.join())).size).toBe(1);
      const file = join(folder, 'campaigns', place[1] ?? '');
      const text = pasted(await readFile(file, 'utf8'), place, problem?.lines ?? []);
      await writeFiles(folder, { [join('campaigns', place[1] ?? '')]: text });
      const { campaigns } = await plan();
      const replacing = campaigns.filter(({ replaces }) => replaces !== undefined);
      expect(Object.fromEntries(replacing.map(({ name, replaces }) => [name, replaces?.name]))).toEqual(
        becomes,
      );
      expect(replacing.map(({ action }) => action)).toEqual(replacing.map(() => 'create'));
      const made = await command(folder, ['apply', '--yes']);
      expect(made.code, made.out + made.err).toBe(0);
      expect((await plan()).summary).toMatchObject({ create: 0, change: 0, blocked: 0 });
    });
    expect(service.violations).toEqual([]);
  } finally {
    await service.close();
  }
});

it('one of a for_each takes a separate manifest, which begins with these lines', async () => {
  const twins = [draft(50, 'Spring Sud'), draft(51, 'Spring Sud')];
  const service = await startService(shaped({ reputation: 'shown' }), { campaigns: twins, templates: [] });
  try {
    await withFolder(async (folder) => {
      const project = {
        'campaignctl.yaml': `version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  production:\n    base_url: ${service.url}\n    token_env: CAMPAIGNS_TOKEN\n    allow: [no-leads]\n`,
        'campaigns/spring.yaml': `for_each: [Nord, Sud]\nname: Spring \${{ value }}\n${REST}environments:\n  production:\n    settings: { plain_text: true }\n`,
      };
      await writeFiles(folder, project);
      service.store.campaigns = service.store.campaigns.filter(({ id }) => id !== 51);
      const first = await command(folder, ['apply', '--yes']);
      expect(first.code, first.out + first.err).toBe(0);
      service.store.campaigns.push({ ...draft(51, 'Spring Sud') });
      await writeFiles(folder, {
        'campaigns/spring.yaml': project['campaigns/spring.yaml'].replace(OLD, NEW),
      });
      const { out } = await command(folder, ['plan', '--format', 'json']);
      const [, sud] = (JSON.parse(out) as Plan).campaigns;
      const problem = sud?.problems.find(lined);
      expect(problem?.where).toContain(
        'To do so, remove it from the for_each of campaigns/spring.yaml, and write a separate manifest that begins with these lines:',
      );
      expect(problem?.lines).toEqual(['name: Spring Sud 2', 'replaces: 50']);
      await writeFiles(folder, {
        'campaigns/spring.yaml': project['campaigns/spring.yaml'].replace('[Nord, Sud]', '[Nord]'),
        'campaigns/sud.yaml': `${problem?.lines?.join('\n')}\n${REST.replace(OLD, NEW)}`,
      });
      const after = JSON.parse((await command(folder, ['plan', '--format', 'json'])).out) as Plan;
      expect(after.campaigns.find(({ name }) => name === 'Spring Sud 2')).toMatchObject({
        ...{ action: 'create', replaces: { id: 50, name: 'Spring Sud' } },
      });
    });
  } finally {
    await service.close();
  }
});
