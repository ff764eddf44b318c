import { describe, expect, it } from 'vitest';
import type { ListedCampaign } from '../../src/model/answer.js';
import type { ServiceBehaviour } from '../../src/model/environment.js';
import {
  CREATED_STATE,
  type PendingOperations,
  type RecordedState,
  type SentStep,
  UNKNOWN_STATE,
} from '../../src/model/state.js';
import { type LeadOwner, leadOwners } from '../../src/plan/leads.js';
import { campaign, listedCampaign } from '../support/campaigns.js';
import { answer, codes, liveOf } from '../support/context.js';
import { NEWS, QUESTION, ROW_1 } from '../support/emails.js';
import { environment } from '../support/environment.js';
import { type KnownSpring, planSpring, targetOf } from '../support/works.js';

const LAUNCHED = { status: 'running', status_at: '2026-03-01T09:00:00.000Z', has_run: true };
const KNOWN: RecordedState = { ...CREATED_STATE, ...LAUNCHED, at_defaults: false, total_leads: 302 };

interface Given extends KnownSpring {
  owners?: readonly LeadOwner[];
}

/** The plan of campaign 42, to which a list and two leads are to be attached. `null`: it does not exist. */
function plan({ owners = [], spec, ...known }: Given, id: number | null = 42) {
  const leads = { lists: [77], ids: [1001, 1002] };
  const all = { recorded: KNOWN, ...known, id, spec: { leads, ...spec } };
  const created = planSpring(all, { owners }).plan;
  const [first] = created.campaigns;
  if (first === undefined) throw new Error('one campaign was expected');
  return { ...first, fingerprint: created.fingerprint };
}

const running = (situation: Given, id?: number | null) =>
  plan(situation, id).problems.filter(({ code }) => code === 'attach-running');

describe('leads that are added to a campaign that is sending', () => {
  it('need approval, with a message that names leads and numbers', () => {
    const message = expect.stringMatching(/list 77 .*\(1001, 1002\) .* 300 leads/);
    expect(running({ shown: { status: 'active', total_leads: '300' } })).toMatchObject([
      { severity: 'hazard', message, accepted_by: null },
    ]);
  });

  const words: ServiceBehaviour['statuses'] = {
    running: ['laeuft'],
    starting: [],
    stopped: ['ruht'],
    finished: [],
    gone: [],
  };
  const SENDING: [string, Given, string][] = [
    ['is being launched', { shown: { status: 'Queued' } }, 'which is being launched ("Queued")'],
    ['finished', { shown: { status: 'completed' } }, 'and may continue if it gets new leads'],
    ['has an unknown status', { shown: { status: 'ruht' } }, '("ruht" is not a known status)'],
    [
      'has a status in words of the project',
      { shown: { status: 'laeuft' }, service: { statuses: words } },
      '("laeuft")',
    ],
    ['is not in the state and shows no status', { recorded: UNKNOWN_STATE }, 'may be sending'],
    [
      'no longer shows a status',
      { recorded: { ...KNOWN, status_shown: true } },
      'which may be sending (the service shows no status)',
    ],
    [
      'was launched and shows no status',
      {},
      'which is running, as last set on 2026-03-01 (the service shows no status)',
    ],
    [
      'was created by an unfinished run and has an unknown status',
      { shown: { status: 'live' }, recorded: CREATED_STATE },
      '("live" is not a known status)',
    ],
    [
      'is running, as the manifest says',
      { shown: { status: 'active' }, spec: { status: 'running' } },
      'which is sending',
    ],
  ];
  it.each(SENDING)('need approval if the campaign %s', (_name, situation, text) => {
    expect(running(situation).map(({ message }) => message)).toEqual([expect.stringContaining(text)]);
  });

  it('says that they get the current emails if apply cannot change them', () => {
    const said = (steps: (typeof NEWS)[]) =>
      running({
        shown: { status: 'active' },
        spec: { sequence: { title: 'Spring', steps } },
        sequence: { title: 'Spring', steps: [ROW_1] },
      })[0]?.message;
    expect(said([NEWS])).toContain('They get its emails as they are today');
    expect(said([QUESTION])).not.toContain('as they are today');
  });

  const QUIET: [string, Given, (number | null)?][] = [
    ['is a draft', { shown: { status: 'draft' } }],
    ['is paused', { shown: { status: 'Paused' } }],
    ['is paused, in words of the project', { shown: { status: 'ruht' }, service: { statuses: words } }],
    ['is paused first by the same plan', { shown: { status: 'active' }, spec: { status: 'paused' } }],
    ['is created by the same plan', {}, null],
    ['was created by an unfinished run and shows no status', { recorded: CREATED_STATE }],
    ['was last paused and shows no status', { recorded: { ...KNOWN, status: 'paused' } }],
    ['gets no leads', { shown: { status: 'active' }, spec: { leads: {} } }],
    ['is launched after them', { shown: { status: 'draft' }, spec: { status: 'running' } }],
  ];
  it.each(QUIET)('need none if the campaign %s', (_name, setup, id) => {
    expect(running(setup, id)).toEqual([]);
  });

  it('and to one that is gone need none, because nothing is sent', () => {
    const { problems, steps } = plan({ shown: { status: 'archived' } });
    expect(steps).toEqual([]);
    expect(codes(problems)).toEqual(['blocked campaign-gone']);
  });

  it('change the plan if the campaign shows a different lead count', () => {
    const printOf = (shown: Given['shown']) => plan({ shown: shown ?? {} }).fingerprint;
    expect(printOf({ status: 'active', total_leads: 302 })).not.toBe(
      printOf({ status: 'active', total_leads: 300 }),
    );
    expect(printOf({ status: 'active' })).not.toBe(printOf({ status: 'draft' }));
  });
});

describe('leads that a campaign without a manifest has', () => {
  const entry = (recorded: Partial<RecordedState>) => ({
    id: 7,
    manifest: 'old.yaml',
    name: 'Spring 2025',
    recorded: { ...KNOWN, attached: { lists: [5, 77], ids: [1002, 3] }, ...recorded },
  });
  const other = (
    recorded: Partial<RecordedState>,
    listed: readonly ListedCampaign[],
    pending: readonly PendingOperations[] = [],
  ) => leadOwners([entry(recorded)], [], { environment: environment(), listed, pending });
  const hazards = (owners: readonly LeadOwner[]) =>
    plan({ shown: { status: 'draft' }, owners })
      .problems.filter(({ code }) => code === 'shared-leads')
      .map(({ message, hint }) => `${message} ${hint}`);

  it('need approval with the leads, the other campaign and its file', () => {
    const owners = other({ has_run: true }, [listedCampaign(7, 'Spring 2025', 'paused')]);
    expect(hazards(owners)).toEqual([
      expect.stringMatching(/list 77 and 1 .* \(1002\)\. .* 7 "Spring 2025" \(old.yaml\)/),
    ]);
  });

  const ran: [string, Partial<RecordedState>, string | null, string | null][] = [
    ['is sending', { has_run: false }, 'Active', 'and is sending'],
    ['is being launched', { has_run: null }, 'queued', 'and is sending'],
    ['has sent everything', { has_run: false }, 'completed', 'and has run'],
    ['has run and shows no status', { has_run: true, status: 'paused' }, null, 'and has run'],
    ['was launched and shows no status', { has_run: true, status: 'running' }, null, 'and is sending'],
    ['may have run', { has_run: null }, 'paused', 'and may have run'],
    [
      'was created here, never launched, and is not a draft',
      { has_run: false },
      'paused',
      'and may have run',
    ],
    ['was created here and never launched', { has_run: false }, 'draft', null],
    [
      'was created here, never launched, and shows no status',
      { has_run: false, status: 'paused' },
      null,
      null,
    ],
    ['was launched once and is listed as a draft', { has_run: true }, 'draft', 'and has run'],
    ['is listed as a draft', { has_run: null }, 'Draft', null],
    ['ran and is archived', { has_run: true }, 'archived', 'and has run'],
    ['is archived and may have run', { has_run: null }, 'archived', 'and may have run'],
    ['is archived and was never launched here', { has_run: false }, 'archived', 'and may have run'],
    ['has other leads', { has_run: true, attached: { lists: [5], ids: [3] } }, 'active', null],
    [
      'may have these leads',
      { has_run: true, attached: { lists: [], ids: [] }, doubtful: { lists: [77], ids: [] } },
      'active',
      'lead list 77. Campaign 7',
    ],
  ];
  it.each(ran)('if it %s', (_name, recorded, status, message) => {
    const wanted = message === null ? [] : [expect.stringContaining(message)];
    expect(hazards(other(recorded, [listedCampaign(7, 'Spring 2025', status)]))).toEqual(wanted);
  });

  it.each([
    ['draft', 'active', 'and is sending'],
    ['active', 'draft', 'and is sending'],
    ['draft', 'paused', 'and may have run'],
    ['draft', 'flying', 'and may have run'],
    ['draft', 'draft', null],
    ['draft', null, null],
  ])('if its record shows %s and the list shows %s', (value, row, message) => {
    const record = answer('GET /api/campaigns/7', { id: 7, name: 'Spring 2025', status: value });
    const owners = other({ has_run: false }, [listedCampaign(7, 'Spring 2025', row)]);
    const answers = { campaign: record, schedule: null, sequence: null };
    const shown = owners.map((owner) => ({ ...owner, live: liveOf(answers, owner.live?.row ?? null) }));
    expect(hazards(shown)).toEqual(message === null ? [] : [expect.stringContaining(message)]);
  });

  it.each<[string, Partial<RecordedState>, boolean]>([
    ['were attached to one that never ran', {}, false],
    ['may be on one that never ran', {}, true],
    ['were attached to one that ran', { has_run: true }, false],
    ['may be on one that ran', { has_run: true }, true],
  ])('need approval where a launch mails them and they %s', (_name, had, inDoubt) => {
    const refs = { lists: [77], ids: [] };
    const recorded = {
      ...KNOWN,
      status: 'paused',
      has_run: false,
      ...had,
      [inDoubt ? 'doubtful' : 'attached']: refs,
    };
    const owners = other({ has_run: true }, [listedCampaign(7, 'Spring 2025', 'paused')]);
    const shown = { status: 'paused' };
    const { problems } = plan({ shown, spec: { leads: {}, status: 'running' }, recorded, owners });
    expect(problems.filter(({ code }) => code === 'shared-leads').map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Apply (launches|resumes) .* list 77\. Campaign 7 /),
    ]);
  });

  it.each([
    ['is applied', 42, false],
    ['is new: it may be that one, renamed', null, true],
  ])('need approval if this one %s', (_, id, isPinned) => {
    const owners = other({}, [listedCampaign(7, 'Spring 2025', 'active')]);
    const { problems } = plan({ shown: { status: 'draft' }, owners }, id);
    const [hazard] = problems.filter(({ code }) => code === 'shared-leads');
    expect(hazard?.hint.includes('add id: 7')).toBe(isPinned);
  });

  it('need approval if only the manifest of an unplanned campaign lists them', () => {
    const listed = listedCampaign(7, 'Renamed', 'active');
    const manifest = campaign('old.yaml', { id: 7, name: 'Spring 2025', leads: { lists: [77] } });
    const work = targetOf({ campaign: manifest, id: 7, listed, answers: null });
    const known = { environment: environment(), listed: [listed], pending: [] };
    expect(hazards(leadOwners([], [work], known))).toEqual([
      expect.stringContaining('list 77. Campaign 7 "Renamed" (old.yaml)'),
    ]);
  });

  it('need approval, which replaces lint findings on the same leads', () => {
    const owners = other({ has_run: true }, [listedCampaign(7, 'Spring 2025', 'paused')]);
    const matches = ['shared-lead-list', 'shared-lead-ids', 'unsubscribe-text'] as const;
    const all = plan({ shown: { status: 'draft' }, owners, found: matches }).problems;
    expect(codes(all)).toEqual(['warning unsubscribe-text', 'hazard shared-leads']);
    const draft = other({ has_run: false }, [listedCampaign(7, 'Spring 2025', 'draft')]);
    expect(codes(plan({ shown: { status: 'draft' }, owners: draft, found: matches }).problems)).toEqual(
      matches.map((code) => `warning ${code}`),
    );
  });

  it.each<[boolean | null, ListedCampaign[], string]>([
    [true, [], 'has run'],
    [null, [], 'may have run'],
    [false, [], 'may have run'],
    [false, [listedCampaign(7, 'Spring 2025', 'archived')], 'may have run'],
  ])('need approval where it was deleted, until forget: has run: %s, list: %j', (has_run, listed, ran) => {
    const [hazard] = hazards(other({ has_run }, listed));
    expect(hazard).toContain(`and ${ran}`);
    expect(hazard).toContain('campaignctl forget 7');
  });

  const SENT_AT = '2026-03-01T00:00:00.000Z';
  function died(what: 'attach' | 'launch', result: SentStep['result'], id: number | null): PendingOperations {
    const { steps } = plan({ shown: { status: 'draft' }, spec: { status: 'running' } });
    const step = what === 'launch' ? steps.at(-1) : steps[0];
    if (step === undefined) throw new Error('a step was expected');
    return {
      ...{ run: 'run-1', at: SENT_AT, who: 'ada@desk', manifest: 'old.yaml', name: 'Spring 2025', id },
      ...{ spec: '', changes: [] },
      sent: [{ at: SENT_AT, age: 0, visible_in: null, step, result, total_leads: null }],
    };
  }

  it('include those sent by a run that died', () => {
    const none = { has_run: true, attached: { lists: [], ids: [] } };
    const leadsOf = (result: SentStep['result'], id: number | null) =>
      other(none, [], [died('attach', result, id)])[0]?.leads;
    expect(leadsOf('unknown', 7)).toEqual({ lists: [77], ids: [] });
    expect(leadsOf('done', 7)).toEqual({ lists: [77], ids: [] });
    expect(leadsOf('unknown', null)).toEqual({ lists: [77], ids: [] });
    expect(leadsOf('unknown', 8)).toEqual({ lists: [], ids: [] });
    expect(leadsOf('failed', 7)).toEqual({ lists: [], ids: [] });
    const refs = { lists: [77], ids: [] };
    const recordedOf = (result: SentStep['result']) =>
      other(none, [], [died('attach', result, 7)])[0]?.recorded;
    expect(recordedOf('done')).toMatchObject({ attached: refs, doubtful: { lists: [], ids: [] } });
    expect(recordedOf('unknown')).toMatchObject({ attached: { lists: [], ids: [] }, doubtful: refs });
  });

  it.each<[SentStep['result'], string]>([
    ['unknown', 'has run'],
    ['in_doubt', 'has run'],
    ['done', 'has run'],
    ['failed', 'may have run'],
  ])('say what is known where a run that died launched it and it was archived since: %s', (result, how) => {
    for (const listed of [[listedCampaign(7, 'Spring 2025', 'archived')], []]) {
      const owners = other({ has_run: false }, listed, [died('launch', result, 7)]);
      expect(hazards(owners)).toEqual([expect.stringContaining(`and ${how}`)]);
    }
  });
});
