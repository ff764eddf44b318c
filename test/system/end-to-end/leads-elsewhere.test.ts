/** Leads that another campaign of the state has are not mailed a second time without a word, whatever is planned. */
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/model/outputs.js';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService } from '../../support/service/service.js';
import { type Shape, shaped } from '../../support/service/shape.js';

interface Given {
  shape?: Partial<Shape>;
  /** What the first manifest says at the end. */
  before?: string;
  /** The word to which a person sets the status of the first campaign. */
  word?: string;
  /** The manifests afterwards. */
  a: string;
  b: string;
  argv?: readonly string[];
  /** The second manifest was applied before the first one was launched; it is to run now. */
  applied?: boolean;
  /** Pins the second manifest at the end. */
  pin?: string;
}

const RUNS = 'leads: { lists: [77], ids: [1001] }\nstatus: running\n';
const PAUSED = 'status: paused\n';

/** The first campaign was applied, and perhaps touched by hand: what a plan then says of the leads of the second one. */
async function said({
  shape = {},
  before = RUNS,
  word,
  a,
  b,
  argv = [],
  applied: both = false,
  pin = '',
}: Given): Promise<string[]> {
  const service = await startService(shaped(shape), { campaigns: [], templates: [] });
  try {
    return await withFolder(async (folder) => {
      const of = (name: string, rest: string) =>
        `name: ${name}\nschedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }\nsequence:\n  title: ${name}\n  steps: [{ email_subject: A question, email_body: "Hello there", wait_in_days: 3 }]\n${rest}`;
      await writeFiles(folder, {
        'campaignctl.yaml': `version: 1\nmanifests: [campaigns/**/*.yaml]\nenvironments:\n  production: { base_url: "${service.url}", token_env: CAMPAIGNS_TOKEN }\n`,
        'campaigns/a.yaml': of('A', before),
      });
      const applied = await command(folder, ['apply', '--yes', '--allow', 'launch']);
      expect(applied.code, applied.out + applied.err).toBe(0);
      const again = async (files: Record<string, string>) => {
        await writeFiles(folder, files);
        const { code, out, err } = await command(folder, ['apply', '--yes', '--allow', 'launch']);
        expect(code, out + err).toBe(0);
      };
      if (both) await again({ 'campaigns/b.yaml': of('B', b) });
      if (both) await again({ 'campaigns/a.yaml': of('A', a) });
      const first = service.store.campaigns.find(({ name }) => name === 'A');
      if (first !== undefined && word !== undefined) first.status = word;
      await writeFiles(folder, {
        'campaigns/a.yaml': of('A', a),
        'campaigns/b.yaml': of('B', pin + (both ? RUNS : b)),
      });
      const { out, err } = await command(folder, ['plan', '--format', 'json', ...argv]);
      expect(out, err).not.toBe('');
      return (JSON.parse(out) as Plan).campaigns
        .flatMap(({ problems }) => problems)
        .filter(({ code }) => code === 'leads-elsewhere')
        .map(({ message }) => message);
    });
  } finally {
    await service.close();
  }
}

const told = (leads: string, how: string) => [
  `Apply attaches ${leads}, which campaign 101 "A" has already. That campaign was applied from campaigns/a.yaml, and it ${how}: these leads would be mailed again, from the first email on.`,
];
const LEADS = 'lead list 77 and 1 individual lead (1001)';

describe.each<[string, Partial<Shape>]>([
  ['the list shows the status', {}],
  ['only the record shows it', { rows: 'id-name' }],
])('leads that move to another manifest, where %s,', (_, shape) => {
  it.each<[string, readonly string[], string]>([
    ['in a plan of everything', [], ''],
    ['in a plan of one file', ['campaigns/b.yaml'], ''],
    ['in a plan of one target', ['--target', 'B'], ''],
    ['in a plan of a pinned campaign', [], 'id: 101\n'],
  ])('need approval %s', async (_how, argv, pin) => {
    const given = { shape, a: `${pin}status: running\n`, b: RUNS, argv };
    expect(await said(given)).toEqual(told(LEADS, 'is sending'));
  });

  it('need approval where a person has started a campaign of which the manifest says no status', async () => {
    const before = 'leads: { lists: [77] }\n';
    const given = { shape, before, a: before, b: RUNS };
    expect(await said({ ...given, word: 'active' })).toEqual(told('lead list 77', 'is sending'));
    expect(await said({ ...given, word: 'paused' })).toEqual(told('lead list 77', 'may have run'));
    expect(await said(given)).toEqual([]);
  });

  it('need approval where the other one is paused now, or archived', async () => {
    expect(await said({ shape, a: PAUSED, b: RUNS })).toEqual(told(LEADS, 'is sending'));
    expect(await said({ shape, a: PAUSED, b: RUNS, word: 'paused' })).toEqual(told(LEADS, 'has run'));
    expect(await said({ shape, a: PAUSED, b: RUNS, word: 'archived' })).toEqual(told(LEADS, 'has run'));
  });

  it('need approval at the first launch of a campaign to which they were attached before the other one ran', async () => {
    const paused = RUNS.replace('running', 'paused');
    const given = { shape, before: paused, a: 'status: running\n', b: paused, applied: true };
    const wanted = told(LEADS, 'is sending').map((one) =>
      one.replace('attaches', 'launches this campaign with'),
    );
    expect(await said(given)).toEqual(wanted);
    expect(await said({ ...given, pin: 'id: 102\n', argv: ['--target', 'B'] })).toEqual(wanted);
  });
});
