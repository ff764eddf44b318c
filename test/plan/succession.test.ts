import { describe, expect, it } from 'vitest';
import type { ListedCampaign } from '../../src/model/answer.js';
import type { Campaign, CampaignSpec } from '../../src/model/spec.js';
import { CREATED_STATE, type StateEntry, UNKNOWN_STATE } from '../../src/model/state.js';
import { matchCampaigns } from '../../src/plan/match.js';
import { linesOfSuccessor, withPredecessors } from '../../src/plan/succession.js';
import { campaign, entryOf, listedCampaign } from '../support/campaigns.js';
import { environment } from '../support/environment.js';
import { deepFreeze } from '../support/freeze.js';

const manifest = (name: string, spec: Partial<CampaignSpec> = {}) =>
  campaign(`${name}.yaml`, { name, ...spec });
const row = (id: number, name: string, status: string | null = 'paused') => listedCampaign(id, name, status);
const entry = (id: number, name: string, by?: number): StateEntry => ({
  ...entryOf(id, `${name}.yaml`, name),
  recorded: { ...CREATED_STATE, ...(by === undefined ? {} : { superseded_by: by }) },
});

/** Of each manifest: the id of its predecessor, and the codes of its problems. */
function succession(campaigns: Campaign[], listed: ListedCampaign[], entries: StateEntry[] = []) {
  const context = deepFreeze({ environment: environment(), listed, entries });
  const targets = withPredecessors(matchCampaigns(campaigns, context), context);
  return targets.map(({ predecessor, problems }) => [
    predecessor?.id ?? null,
    problems.map(({ code }) => code),
  ]);
}

function messages(campaigns: Campaign[], listed: ListedCampaign[]): string[] {
  const context = deepFreeze({ environment: environment(), listed, entries: [] });
  const targets = withPredecessors(matchCampaigns(campaigns, context), context);
  return targets.flatMap(({ problems }) => problems.map(({ message, hint }) => `${message} ${hint}`));
}

const NEW = manifest('New', { replaces: 'Old' });

describe('the predecessor of a manifest', () => {
  it.each<[string, Partial<CampaignSpec>, ListedCampaign[], StateEntry[], number | string]>([
    ['the campaign of that name', { replaces: 'Old' }, [row(5, 'Old'), row(6, 'Other')], [], 5],
    ['the campaign of that id', { replaces: 5 }, [row(5, 'Old'), row(6, 'Other')], [], 5],
    ['one that only the state knows by name', { replaces: 'Old' }, [], [entry(5, 'Old')], 5],
    ['one that only the state knows by id', { replaces: 5 }, [], [entry(5, 'Old')], 5],
    ['no campaign of an id that nothing shows', { replaces: 5 }, [row(6, 'Old')], [], 'replaces-not-found'],
    ['not itself', { id: 5, replaces: 5 }, [row(5, 'New')], [], 'replaces-circle'],
    ['not one of two', { replaces: 'Old' }, [row(5, 'Old'), row(6, 'Old')], [], 'replaces-ambiguous'],
    ['the one of two that is live', { replaces: 'Old' }, [row(5, 'Old'), row(6, 'Old', 'archived')], [], 5],
    [
      'the last of two that are gone',
      { replaces: 'Old' },
      [row(10, 'Old', 'deleted'), row(9, 'Old', 'archived')],
      [],
      10,
    ],
    [
      'the one of two that it has replaced',
      { replaces: 'Old' },
      [row(5, 'Old'), row(6, 'Old'), row(7, 'New')],
      [entry(5, 'Old', 7), entry(6, 'Old')],
      5,
    ],
    ['none of a similar name', { replaces: 'Old' }, [row(5, 'Old ')], [], 'replaces-not-found'],
    ['no unknown one', { replaces: 'Old' }, [row(5, 'Other')], [], 'nothing-to-replace'],
  ])('is %s', (_, spec, listed, entries, expected) => {
    const found = typeof expected === 'number' ? [expected, []] : [null, [expected]];
    expect(succession([manifest('New', spec), manifest('Other')], listed, entries)[0]).toEqual(found);
  });

  it('may be a campaign of another manifest that does not exist yet, or one that is gone since', () => {
    expect(succession([NEW, manifest('Old')], [])).toEqual([
      [null, []],
      [null, []],
    ]);
    expect(succession([NEW], [row(7, 'New')])).toEqual([[null, []]]);
    const twin = manifest('Old ', { replaces: 'Old' });
    expect(succession([twin], [row(7, 'Old ')])).toEqual([[null, []]]);
  });
});

describe('contradictions of successions', () => {
  const OLD = row(5, 'Old', 'active');

  it('a manifest of the predecessor must say that it is paused', () => {
    const declared = (status?: 'paused' | 'running') =>
      succession([NEW, manifest('Old', status && { status })], [OLD]);
    expect(declared('paused')).toEqual([
      [5, []],
      [null, []],
    ]);
    for (const other of [declared('running'), declared()])
      expect(other).toEqual([
        [5, ['superseded-running']],
        [null, ['superseded-running']],
      ]);
  });

  it('a campaign is replaced once', () => {
    expect(succession([NEW, manifest('Newer', { replaces: 5 })], [OLD])).toEqual([
      [5, ['replaced-twice']],
      [5, ['replaced-twice']],
    ]);
    const replaced = (listed: ListedCampaign[], by: number) =>
      succession([NEW], [OLD, ...listed], [entry(5, 'Old', by)]);
    expect(replaced([row(9, 'Other')], 9)).toEqual([[5, ['replaced-twice']]]);
    expect(replaced([row(9, 'Other', 'archived')], 9)).toEqual([[5, []]]);
    expect(replaced([], 9)).toEqual([[5, []]]);
    expect(replaced([row(7, 'New')], 7)).toEqual([[5, []]]);
  });

  it('a circle is an error of each of its manifests, and of no other', () => {
    const paused = { status: 'paused' as const };
    const circle = [manifest('A', { replaces: 'B', ...paused }), manifest('B', { replaces: 'A', ...paused })];
    const outside = manifest('C', { replaces: 'D', ...paused });
    const live = [row(1, 'A', 'active'), row(2, 'B', 'active'), row(3, 'C'), row(4, 'D')];
    const found = (listed: ListedCampaign[]) =>
      succession([outside, manifest('D', paused), ...circle], listed);
    expect(found(live).slice(1)).toEqual([
      [null, []],
      [2, ['replaces-circle']],
      [1, ['replaces-circle']],
    ]);
    expect(found([]).map(([, codes]) => codes)).toEqual([[], [], ['replaces-circle'], ['replaces-circle']]);
  });

  it('are described with the manifests and campaigns that they concern', () => {
    const twins = [row(5, 'Old'), row(6, 'Old')];
    expect(messages([NEW], twins)).toEqual([expect.stringMatching(/\b5\b.*\b6\b/)]);
    const twice = [NEW, manifest('Newer', { replaces: 5 })];
    expect(messages(twice, [OLD])[0]).toMatch(/New\.yaml.*Newer\.yaml/);
    const context = { environment: environment(), listed: [], entries: [entry(5, 'Old')] };
    expect(withPredecessors(matchCampaigns([NEW], context), context)[0]?.predecessor?.name).toBe('Old');
    const circle = [manifest('C'), manifest('A', { replaces: 'B' }), manifest('B', { replaces: 'A' })];
    const [message] = messages(circle, []);
    expect(message).toContain('A.yaml');
    expect(message).not.toContain('C.yaml');
  });

  const UNKNOWN_OLD = {
    ...entryOf(5, 'Old.yaml', 'Old'),
    recorded: { ...UNKNOWN_STATE, superseded_by: 7 },
  };
  it.each<[string, ListedCampaign[], StateEntry[], string[]]>([
    [
      'runs, although it was replaced',
      [row(5, 'Old', 'active'), row(7, 'New')],
      [UNKNOWN_OLD],
      ['replaces-not-ready'],
    ],
    ['runs', [row(5, 'Old', 'active'), row(7, 'New')], [], ['replaces-not-ready']],
    ['is paused', [row(5, 'Old'), row(7, 'New')], [], []],
    ['is paused, and the second does not exist', [row(5, 'Old')], [], ['replaces-not-ready']],
    ['is gone, and the second does not exist', [row(5, 'Old', 'archived')], [], []],
    ['is only in the state', [row(7, 'New')], [entry(5, 'Old')], []],
    ['shows no status', [row(5, 'Old', null), row(7, 'New')], [], ['replaces-not-ready']],
    ['shows no status, and was replaced', [row(5, 'Old', null), row(7, 'New', null)], [UNKNOWN_OLD], []],
    [
      'runs, and all are replaced',
      [row(5, 'Old', 'active'), row(7, 'New'), row(8, 'Newest')],
      [entry(7, 'New', 8)],
      [],
    ],
  ])('a chain is applied one by one: the first %s', (_, listed, entries, codes) => {
    const second = manifest('New', { replaces: 'Old', status: 'paused' });
    const isThere = listed.some(({ name }) => name === 'New');
    for (const replaces of isThere ? ['New', 7] : ['New']) {
      const third = manifest('Newest', { replaces, status: 'running' });
      const at = succession([second, third], listed, entries);
      expect(at[1]?.[1]).toEqual(codes);
    }
  });

  it('a replaced campaign is not launched again, except by its successor', () => {
    const running = (spec: Partial<CampaignSpec>) => manifest('Old', { status: 'running', ...spec });
    const listed = [row(5, 'Old'), row(7, 'New')];
    const replaced = [entry(5, 'Old', 7), entry(7, 'New')];
    expect(succession([running({})], listed, replaced)).toEqual([[null, ['superseded-running']]]);
    expect(succession([running({ status: 'paused' })], listed, replaced)).toEqual([[null, []]]);
    expect(succession([running({ replaces: 'New' })], listed, replaced)).toEqual([[7, []]]);
    expect(succession([running({})], listed, [entry(5, 'Old'), entry(7, 'New', 5)])).toEqual([[null, []]]);
  });
});

describe('the lines of a successor', () => {
  const lines = (
    of: Campaign,
    {
      id = 5,
      listed = [] as ListedCampaign[],
      campaigns = [of],
    }: { id?: number | null; listed?: ListedCampaign[]; campaigns?: Campaign[] } = {},
  ) => linesOfSuccessor(of, { id, listed, campaigns });
  const names = (name: string, others: string[] = [], listed: string[] = []) =>
    lines(manifest(name), {
      campaigns: [name, ...others].map((each) => manifest(each)),
      listed: listed.map((each, at) => row(100 + at, each)),
    }).lines[0];

  it.each<[string, string[], string[], string]>([
    ['Segment 22', [], [], 'Segment 22 v2'],
    ['Fair v2', [], [], 'Fair v3'],
    ['Fair v9', [], [], 'Fair v10'],
    ['Fair v12', [], [], 'Fair v13'],
    ['Fair v0', [], [], 'Fair v0 v2'],
    ['Fair v1000', [], [], 'Fair v1000 v2'],
    ['Fair', ['Fair v2'], [], 'Fair v3'],
    ['Fair v2', ['Fair'], [], 'Fair v3'],
    ['Fair', [], ['Fair v2', 'Fair v3'], 'Fair v4'],
    ['Fair', ['Other'], [], 'Fair v2'],
  ])(
    'continue the name %s beside %j in manifests and %j in the service: %s',
    (name, others, listed, next) => {
      expect(names(name, others, listed)).toBe(`name: ${next}`);
    },
  );

  it.each([
    ['Yes sir', 'Yes sir v2'],
    ['1. FC: Fair', '"1. FC: Fair v2"'],
    ['Fair #1', '"Fair #1 v2"'],
  ])('quote a name that YAML would read otherwise: %s', (name, next) => {
    expect(names(name)).toBe(`name: ${next}`);
  });

  it.each<[string, Partial<CampaignSpec>, ListedCampaign[], number | null, string]>([
    ['its name', {}, [row(5, 'Fair'), row(6, 'Other')], 5, 'Fair'],
    ['its name, which only ends like a word of YAML', { name: 'Casino' }, [row(5, 'Casino')], 5, 'Casino'],
    ['its name, quoted', { name: 'no' }, [row(5, 'no')], 5, '"no"'],
    ['its id if others have the name', {}, [row(5, 'Fair'), row(6, 'Fair')], 5, '5'],
    ['its id if it is pinned', { id: 5 }, [row(5, 'Fair')], 5, '5'],
    ['its id if another one has the name', {}, [row(6, 'Fair')], 5, '5'],
    ['its id if it is not listed', {}, [], 5, '5'],
    ['its name if it has no id', {}, [], null, 'Fair'],
  ])('name the predecessor by %s', (_, spec, listed, id, replaces) => {
    expect(lines(manifest('Fair', spec), { id, listed }).lines[1]).toBe(`replaces: ${replaces}`);
  });

  it.each<[string, Partial<CampaignSpec>, string]>([
    ['Fair.yaml', {}, 'write these lines in Fair.yaml in place of its name:'],
    [
      'Fair.yaml',
      { id: 5, replaces: 'Old' },
      'write these lines in Fair.yaml in place of its name and id and replaces:',
    ],
    ['Fair.yaml#3', {}, 'write these lines in Fair.yaml, document 3 in place of its name:'],
    [
      'Fair.yaml[0]',
      {},
      'remove it from the for_each of Fair.yaml, and write a separate manifest that begins with these lines:',
    ],
    [
      'Fair.yaml#3[a b]',
      {},
      'remove it from the for_each of Fair.yaml, document 3, and write a separate manifest that begins with these lines:',
    ],
  ])('belong to %s with %j', (file, spec, where) => {
    const [, path = '', number] = /^([^#[]*)(?:#(\d+))?/.exec(file) ?? [];
    const of = { ...manifest('Fair', spec), manifest: file, file: path, document: Number(number ?? 1) - 1 };
    expect(lines(of).where).toBe(`To replace the campaign, ${where}`);
  });
});
