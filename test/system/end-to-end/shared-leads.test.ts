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

/** What manifests say at the end, by name. */
type Ends = Record<string, string>;

/** The hazards `shared-leads` of a plan of the last manifests, by campaign, after the others were applied one after the other. */
async function hazards(
  all: readonly Ends[],
  { shape = {}, word, argv = [] }: Pick<Given, 'shape' | 'word' | 'argv'> = {},
): Promise<[name: string, message: string, hint: string][]> {
  const service = await startService(shaped(shape), { campaigns: [], templates: [] });
  try {
    return await withFolder(async (folder) => {
      const of = (name: string, rest: string) =>
        `name: ${name}\nschedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }\nsequence:\n  title: ${name}\n  steps: [{ email_subject: A question, email_body: "Hello there", wait_in_days: 3 }]\n${rest}`;
      const write = (ends: Ends = {}) =>
        writeFiles(
          folder,
          Object.fromEntries(
            Object.entries(ends).map(([name, end]) => [
              `campaigns/${name.toLowerCase()}.yaml`,
              of(name, end),
            ]),
          ),
        );
      await writeFiles(folder, {
        'campaignctl.yaml': `version: 1\nmanifests: [campaigns/**/*.yaml]\nenvironments:\n  production: { base_url: "${service.url}", token_env: CAMPAIGNS_TOKEN }\n`,
      });
      for (const ends of all.slice(0, -1)) {
        await write(ends);
        const { code, out, err } = await command(folder, ['apply', '--yes', '--allow', 'launch']);
        expect(code, out + err).toBe(0);
      }
      const first = service.store.campaigns.find(({ name }) => name === 'A');
      if (first !== undefined && word !== undefined) first.status = word;
      await write(all.at(-1));
      const { out, err } = await command(folder, ['plan', '--format', 'json', ...argv]);
      expect(out, err).not.toBe('');
      return (JSON.parse(out) as Plan).campaigns.flatMap(({ name, problems }) =>
        problems
          .filter(({ code }) => code === 'shared-leads')
          .map(({ message, hint }): [string, string, string] => [name, message, hint]),
      );
    });
  } finally {
    await service.close();
  }
}

/** The first campaign was applied, and perhaps touched by hand: what a plan then says of the leads of the second one. */
async function said({ before = RUNS, a, b, applied = false, pin = '', ...how }: Given): Promise<string[]> {
  const applies = [{ A: before }, ...(applied ? [{ B: b }, { A: a }] : [])];
  const found = await hazards([...applies, { A: a, B: pin + (applied ? RUNS : b) }], how);
  return found.map(([, message]) => message);
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

describe('leads that two campaigns of one plan begin to mail', () => {
  const ofList = (list: number, status: string) => `leads: { lists: [${list}] }\nstatus: ${status}\n`;
  const accept =
    "status: paused in one of the two manifests, or make sure in the service's web app that only one of the campaigns has these leads and accept with --allow shared-leads.";

  it('need approval where the one attaches them and the manifest of the other names them no more', async () => {
    const before = { A: ofList(5, 'paused') };
    expect(await hazards([before, { A: ofList(7, 'running'), B: ofList(5, 'running') }])).toEqual([
      [
        'B',
        'Apply attaches lead list 5, and launches campaign 101 "A" (campaigns/a.yaml) with them as well: both campaigns would mail these leads.',
        `Take these leads out of campaigns/b.yaml, or write ${accept}`,
      ],
    ]);
    const c = { ...before, C: ofList(6, 'paused') };
    expect(await hazards([c, { A: ofList(5, 'running'), C: ofList(7, 'paused') }])).toEqual([]);
  });

  it('need approval where neither manifest names them any more, unless only one is launched', async () => {
    const before = { A: ofList(11, 'paused'), B: ofList(11, 'paused') };
    const after = { A: ofList(12, 'running'), B: ofList(13, 'running') };
    expect(await hazards([before, after])).toEqual([
      [
        'B',
        'Apply launches this campaign with lead list 11, and launches campaign 101 "A" (campaigns/a.yaml) with them as well: both campaigns would mail these leads.',
        `Write ${accept}`,
      ],
    ]);
    expect(await hazards([before, after], { argv: ['--target', 'B'] })).toEqual([]);
    expect(await hazards([before, after], { argv: ['--hold', 'launch'] })).toEqual([]);
    expect(await hazards([before, { ...after, A: ofList(12, 'paused') }])).toEqual([]);
  });

  it('need approval where one of them sends already, and its manifest says no status', async () => {
    const before = { A: ofList(5, 'running'), B: ofList(6, 'paused') };
    const both = [before, { A: 'leads: { lists: [5, 8] }\n', B: ofList(8, 'running') }];
    expect(await hazards(both)).toEqual([
      [
        'B',
        'Apply attaches lead list 8, and attaches them to campaign 101 "A" (campaigns/a.yaml) as well: both campaigns would mail these leads.',
        `Take these leads out of campaigns/b.yaml, or write ${accept}`,
      ],
    ]);
    expect(await hazards(both, { word: 'paused' })).toHaveLength(1);
  });

  it('are told once where both have run, or both start', async () => {
    const ran = { A: ofList(5, 'running'), B: ofList(6, 'running') };
    const before = [ran, { A: ofList(5, 'paused') }];
    const found = await hazards([...before, { A: ofList(5, 'running'), B: 'leads: { lists: [6, 5] }\n' }]);
    expect(found.map(([name, message]) => [name, message.split(',')[0]])).toEqual([
      ['B', 'Apply attaches lead list 5'],
    ]);
    const both = await hazards([{ A: ofList(5, 'running'), B: ofList(5, 'running') }]);
    expect(both.map(([name, message]) => [name, message.split(',')[0]])).toEqual([
      ['B', 'Apply attaches lead list 5'],
    ]);
  });
});
