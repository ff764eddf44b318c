import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ListedCampaign } from '../../src/model/answer.js';
import type { Inventory } from '../../src/model/reports.js';
import { NO_RESULTS } from '../../src/model/results.js';
import type { Campaign, CampaignSpec } from '../../src/model/spec.js';
import { CREATED_STATE, type RecordedState, type StateEntry, UNKNOWN_STATE } from '../../src/model/state.js';
import { sumVolume } from '../../src/model/volume.js';
import { takeInventory } from '../../src/plan/inventory.js';
import { matchCampaigns } from '../../src/plan/match.js';
import { problem } from '../../src/plan/messages.js';
import { campaign, entryOf, listedCampaign } from '../support/campaigns.js';
import { environment } from '../support/environment.js';
import { deepFreeze } from '../support/freeze.js';

function inventory(
  campaigns: readonly Campaign[],
  listed: readonly ListedCampaign[],
  entries: readonly StateEntry[] = [],
): Inventory {
  const context = { environment: environment(), listed, entries };
  return takeInventory(deepFreeze({ ...context, manifests: matchCampaigns(campaigns, context) }));
}

/** "managed 7 Spring installers < spring.yaml" */
function brief({ campaigns }: Inventory): string[] {
  return campaigns.map(
    ({ status, id, name, manifest, problems }) =>
      `${status} ${id ?? '-'} ${name} < ${manifest ?? '-'}${problems.map(({ code }) => ` [${code}]`).join('')}`,
  );
}

const spring = campaign('spring.yaml');
const NOTHING = {
  ...{
    live: 0,
    unclear: 0,
    missing: 0,
    gone: 0,
    removed: 0,
    outside: 0,
    superseded: 0,
    new: 0,
    unmanaged: 0,
  },
  managed: 0,
};

describe('an inventory', () => {
  it('is empty if there is nothing', () => {
    expect(inventory([], [])).toEqual({
      version: 1,
      environment: 'production',
      base_url: 'https://send.example.com',
      summary: NOTHING,
      totals: NO_RESULTS,
      volume: sumVolume([], null),
      problems: [],
      campaigns: [],
    });
  });

  it('shows the status of a managed campaign and when it was last applied', () => {
    const last = { at: '2026-05-12T09:00:00.000Z', how: 'apply', spec: spring.spec } as const;
    const record = { ...entryOf(7, 'spring.yaml'), recorded: { ...UNKNOWN_STATE, last } };
    expect(inventory([spring], [listedCampaign(7, 'Spring installers', 'active')], [record])).toMatchObject({
      summary: { live: 1, managed: 1 },
      campaigns: [
        {
          status: 'managed',
          name: 'Spring installers',
          id: 7,
          live_status: 'active',
          manifest: 'spring.yaml',
          last: { at: '2026-05-12T09:00:00.000Z', how: 'apply' },
          problems: [],
        },
      ],
    });
  });

  it('sorts by urgency, then by name', () => {
    const manifests = [
      spring,
      campaign('new.yaml', { name: 'Not made' }),
      campaign('lost.yaml', { name: 'Lost' }),
      campaign('old.yaml', { name: 'Old' }),
      campaign('twice.yaml', { name: 'Twice' }),
      campaign('pinned.yaml', { name: 'Pinned', id: 99 }),
    ];
    const live = [
      listedCampaign(1, 'Zebra', null),
      listedCampaign(9, 'Ant'),
      listedCampaign(2, 'Ant'),
      listedCampaign(3, 'Old', 'archived'),
      listedCampaign(4, 'Twice'),
      listedCampaign(5, 'Twice'),
      listedCampaign(6, 'Bygone', 'Pending deletion'),
      listedCampaign(7),
    ];
    const taken = inventory(manifests, live, [entryOf(8, 'lost.yaml', 'Lost')]);
    expect(brief(taken)).toEqual([
      'unclear 4 Twice < twice.yaml [ambiguous-name]',
      'unclear 5 Twice < twice.yaml [ambiguous-name]',
      'missing 8 Lost < lost.yaml [missing]',
      'missing 99 Pinned < pinned.yaml [pinned-not-found]',
      'gone 3 Old < old.yaml',
      'new - Not made < new.yaml',
      'unmanaged 2 Ant < -',
      'unmanaged 9 Ant < -',
      'unmanaged 1 Zebra < -',
      'managed 7 Spring installers < spring.yaml',
      'gone 6 Bygone < -',
    ]);
    const counts = { live: 8, unclear: 2, missing: 2, gone: 2, new: 1, unmanaged: 3, managed: 1 };
    expect(taken.summary).toEqual({ ...NOTHING, ...counts });
  });

  it('does not call a campaign unmanaged that a renamed manifest was applied to', () => {
    const live = [listedCampaign(7, 'Winter installers')];
    expect(brief(inventory([spring], live, [entryOf(7, 'spring.yaml', 'Winter installers')]))).toEqual([
      'unclear 7 Winter installers < spring.yaml [rename]',
    ]);
  });

  it('nor one that has the name in a different spelling', () => {
    expect(brief(inventory([spring], [listedCampaign(7, 'Spring  installers')]))).toEqual([
      'unclear 7 Spring  installers < spring.yaml [rename]',
    ]);
  });

  it('knows a pinned campaign by its id, under the name that it has', () => {
    const pinned = campaign('spring.yaml', { id: 7 });
    expect(brief(inventory([pinned], [listedCampaign(7, 'Other')]))).toEqual([
      'managed 7 Other < spring.yaml',
    ]);
  });

  it('uses the words of the project for gone campaigns', () => {
    const statuses = { running: [], starting: [], stopped: [], finished: [], gone: ['binned'] };
    const listed = [listedCampaign(7, 'A', 'Binned')];
    const result = takeInventory({
      environment: environment({ statuses }),
      listed,
      manifests: [],
      entries: [],
    });
    expect(brief(result)).toEqual(['gone 7 A < -']);
  });

  it('distinguishes campaigns that lost their manifest from those that were replaced', () => {
    const known = (id: number, by?: number): StateEntry => ({
      ...entryOf(id, `${id}.yaml`, 'Old'),
      recorded: { ...UNKNOWN_STATE, ...(by === undefined ? {} : { superseded_by: by }) },
    });
    const rows = [listedCampaign(6, 'Old'), listedCampaign(7, 'Old')];
    expect(brief(inventory([], rows, [known(6, 7), known(7)]))).toEqual([
      'removed 7 Old < 7.yaml',
      'superseded 6 Old < 6.yaml',
    ]);
  });

  it('counts no leads of a replaced campaign that is not sending as left', () => {
    const numbers = { results: { ...NO_RESULTS, leads: 500, leads_contacted: 100 }, cap: null };
    const known = { ...UNKNOWN_STATE, superseded_by: 7 };
    const totals = (status: string) => {
      const rows = [
        { ...listedCampaign(7, 'Spring installers', 'active'), numbers },
        { ...listedCampaign(6, 'Spring', status), numbers },
      ];
      return inventory([spring], rows, [{ ...entryOf(6, 'old.yaml', 'Spring'), recorded: known }]).totals;
    };
    expect(totals('draft')).toMatchObject({ leads: 500, leads_contacted: 100 });
    expect(totals('paused')).toMatchObject({ leads: 500, leads_contacted: 100 });
    expect(totals('active')).toMatchObject({ leads: 1000, leads_contacted: 200 });
  });

  it('sums the results of live campaigns, and the caps of those that are sending', () => {
    const sent = (id: number, name: string, status: string | null): ListedCampaign => ({
      ...listedCampaign(id, name, status),
      numbers: { results: { ...NO_RESULTS, sent: 10 ** (id - 1), leads: 10 ** (id - 1) }, cap: 100 * id },
    });
    const listed = [
      sent(1, 'Spring installers', 'active'),
      sent(2, 'Other', 'paused'),
      sent(3, 'Gone', 'archived'),
      sent(4, 'Finished', 'completed'),
      sent(5, 'Odd', 'odd'),
    ];
    const manifests = [spring, campaign('pinned.yaml', { name: 'Pinned', id: 99 })];
    const taken = (capacity: number) => {
      const context = { environment: { ...environment(), capacity }, listed, entries: [] };
      return takeInventory(deepFreeze({ ...context, manifests: matchCampaigns(manifests, context) }));
    };
    expect(taken(600)).toMatchObject({
      totals: { sent: 11_011, leads: 11_011 },
      volume: { running: 2, cap: 600 },
      problems: [],
    });
    expect(taken(599).problems.map(({ code }) => code)).toEqual(['over-capacity']);
  });

  it.each<[string, string | null, Partial<RecordedState>, object]>([
    ['shown', 'active', {}, { live_status: 'active', status_basis: 'shown' }],
    [
      'shown, not as set',
      'active',
      { status: 'paused', has_run: true },
      { live_status: 'active', status_basis: 'shown' },
    ],
    ['as set', null, { status: 'running', has_run: true }, { live_status: 'running', status_basis: 'set' }],
    ['unknown', null, { status: null, has_run: true }, { live_status: null, status_basis: 'unknown' }],
  ])('has a status that is %s', (_, status, recorded, shown) => {
    const entry = { ...entryOf(7, 'spring.yaml'), recorded: { ...UNKNOWN_STATE, ...recorded } };
    for (const campaigns of [[spring], []])
      expect(
        inventory(campaigns, [listedCampaign(7, 'Spring installers', status)], [entry]).campaigns,
      ).toMatchObject([shown]);
  });

  const at = '2026-05-12T09:00:00.000Z';
  const held = { status: 'draft', at };
  const [stopped, left] = [problem('launch-held/paused', at), problem('launch-held/before', at, false)];
  it.each<[string, Partial<CampaignSpec>, string, Partial<RecordedState>, object[]]>([
    ['a pause stopped it', { status: 'running' }, 'paused', { paused: at }, [stopped]],
    ['its launch was held', { status: 'running' }, 'draft', { launch_held: held }, [left]],
    ['both', { status: 'running' }, 'paused', { paused: at, launch_held: held }, [stopped]],
    ['neither', { status: 'running' }, 'paused', {}, []],
    ['it runs', { status: 'running' }, 'active', { launch_held: held }, []],
    ['its manifest does not ask for it', {}, 'paused', { launch_held: held }, []],
    ['its manifest asks for a pause', { status: 'paused' }, 'paused', { launch_held: held }, []],
  ])('says why a campaign that should run is stopped: %s', (_, spec, status, recorded, problems) => {
    const entry = { ...entryOf(7, 'spring.yaml'), recorded: { ...CREATED_STATE, ...recorded } };
    const rows = [listedCampaign(7, 'Spring installers', status)];
    const [entryShown] = inventory([campaign('spring.yaml', spec)], rows, [entry]).campaigns;
    expect(entryShown?.problems).toEqual(problems);
  });

  it('shows every live campaign and every manifest once', () => {
    const name = fc.constantFrom('A', 'B', 'a', 'C');
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 5 });
    const live = ids.chain((values) =>
      fc.tuple(...values.map((id) => name.map((called) => listedCampaign(id, called)))),
    );
    const manifests = fc
      .array(fc.record({ name }, { requiredKeys: ['name'] }), { maxLength: 4 })
      .map((specs) => specs.map((spec, at) => campaign(`${at}.yaml`, spec)));
    const entries = fc.array(
      fc.record({ id: fc.integer({ min: 1, max: 8 }), name, at: fc.integer({ min: 0, max: 3 }) }),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(manifests, live, entries, (declared, listed, known) => {
        const result = inventory(
          declared,
          listed,
          known.map(({ id, name: called, at }) => entryOf(id, `${at}.yaml`, called)),
        );
        const shown = result.campaigns.filter(({ live_status }) => live_status !== null).map(({ id }) => id);
        expect(new Set(shown)).toEqual(new Set(listed.map(({ id }) => id)));
        const { managed, unmanaged, live: all } = result.summary;
        expect(managed + unmanaged).toBeLessThanOrEqual(all);
        for (const { manifest } of declared)
          expect(result.campaigns.some((entry) => entry.manifest === manifest)).toBe(true);
        for (const { status, manifest, problems } of result.campaigns) {
          if (status === 'managed' || status === 'new') expect(problems).toEqual([]);
          if (status === 'unmanaged') expect(manifest).toBeNull();
        }
      }),
    );
  });
});
