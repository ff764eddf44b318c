import { describe, expect, it } from 'vitest';
import type { ServiceBehaviour } from '../../src/model/environment.js';
import type { Json } from '../../src/model/json.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { CREATED_STATE, type RecordedState, UNKNOWN_STATE } from '../../src/model/state.js';
import { buildPlan } from '../../src/plan/index.js';
import { campaign, listedCampaign } from '../support/campaigns.js';
import { environment } from '../support/environment.js';
import { deepFreeze } from '../support/freeze.js';
import { answer, codes } from '../support/subject.js';

const NAME = 'Spring installers';
const KNOWN: RecordedState = { ...CREATED_STATE, at_defaults: false, total_leads: null, status: 'running' };

interface Given {
  shown?: { [field: string]: Json };
  spec?: Partial<CampaignSpec>;
  recorded?: RecordedState;
  service?: Partial<ServiceBehaviour>;
}

/** The plan of campaign 42, to which a list and two leads are to be attached; null: it does not exist. */
function plan({ shown = {}, spec = {}, recorded = KNOWN, service = {} }: Given, id: number | null = 42) {
  const at = `GET /api/campaigns/${id}`;
  const manifest = campaign('spring.yaml', {
    name: NAME,
    leads: { lists: [77], ids: [1001, 1002] },
    ...spec,
  });
  const answers = { campaign: answer(at, { id, name: NAME, ...shown }), schedule: null, sequence: null };
  const one = {
    campaign: manifest,
    id,
    listed: id === null ? null : listedCampaign(id, NAME, null),
    problems: [],
    answers: id === null ? null : answers,
  };
  const input = {
    environment: environment(service),
    refreshed: [one],
    templates: null,
    entries: id === null ? [] : [{ id, manifest: 'spring.yaml', name: NAME, recorded }],
    listed: id === null ? [] : [listedCampaign(id, NAME, null)],
    pending: [],
    holdLaunch: false,
    now: Date.UTC(2026, 2, 2),
  };
  const made = buildPlan(deepFreeze(input)).plan;
  const [first] = made.campaigns;
  if (first === undefined) throw new Error('one campaign was expected');
  return { ...first, fingerprint: made.fingerprint };
}

const running = (given: Given, id?: number | null) =>
  plan(given, id).problems.filter(({ code }) => code === 'attach-running');

describe('leads that are added to a campaign that is sending', () => {
  it('need a word, which tells leads, numbers and the delay', () => {
    expect(running({ shown: { status: 'active', total_leads: '300' } })).toEqual([
      {
        code: 'attach-running',
        severity: 'hazard',
        message:
          'Apply attaches lead list 77 and 2 individual leads (1001, 1002) to a campaign that is sending ("active"): these leads are mailed without a further word. The service shows 300 leads on it now. The service takes up new leads of an active campaign within five minutes.',
        hint: 'Accept it with --allow attach-running, or write status: paused in the manifest to pause the campaign first.',
        accepted_by: null,
      },
    ]);
    expect(running({ shown: { status: 'active' } })[0]?.message).not.toContain('shows');
  });

  const hidden = { status: 'hidden' } as const;
  const words: ServiceBehaviour['statuses'] = {
    running: ['laeuft'],
    starting: [],
    stopped: ['ruht'],
    finished: [],
    gone: [],
  };
  const SENDING: [string, Given, string][] = [
    ['is on its way', { shown: { status: 'Queued' } }, 'a campaign that is being launched ("Queued")'],
    ['finished', { shown: { status: 'completed' } }, 'and may go on with new leads'],
    ['has an unknown status', { shown: { status: 'ruht' } }, '("ruht" is not a known status)'],
    [
      'has a status in words of the project',
      { shown: { status: 'laeuft' }, service: { statuses: words } },
      '("laeuft")',
    ],
    ['shows no status', {}, 'a campaign that may be sending (the service shows no status)'],
    [
      'was paused, as far as is known, without showing it',
      { recorded: { ...KNOWN, status: 'paused' } },
      'may be',
    ],
    ['was launched and never shows it', { service: hidden }, 'a campaign that was launched from here'],
    [
      'may run and never shows it',
      { service: hidden, recorded: UNKNOWN_STATE },
      'the state does not know it',
    ],
    ['is wanted to run', { shown: { status: 'active' }, spec: { status: 'running' } }, 'that is sending'],
    [
      'is not paused by this plan, since nobody knows that it runs',
      { shown: { status: 'weird' }, spec: { status: 'paused' }, recorded: { ...KNOWN, status: 'paused' } },
      'may be sending',
    ],
  ];
  it.each(SENDING)('need a word where the campaign %s', (_name, given, said) => {
    expect(running(given).map(({ message }) => message)).toEqual([expect.stringContaining(said)]);
  });

  const QUIET: [string, Given, (number | null)?][] = [
    ['is a draft', { shown: { status: 'draft' } }],
    ['is paused', { shown: { status: 'Paused' } }],
    ['is paused, in words of the project', { shown: { status: 'ruht' }, service: { statuses: words } }],
    ['is paused first by the same plan', { shown: { status: 'active' }, spec: { status: 'paused' } }],
    ['is made by the same plan', {}, null],
    ['was made by a run that did not end', { recorded: CREATED_STATE }],
    ['was paused and never shows it', { service: hidden, recorded: { ...KNOWN, status: 'paused' } }],
    ['gets no leads', { shown: { status: 'active' }, spec: { leads: {} } }],
    ['is launched after them', { shown: { status: 'draft' }, spec: { status: 'running' } }],
  ];
  it.each(QUIET)('need none where the campaign %s', (_name, given, id) => {
    expect(running(given, id)).toEqual([]);
  });

  it('and to one that is gone need none: nothing is sent', () => {
    const { problems, steps } = plan({ shown: { status: 'archived' } });
    expect(steps).toEqual([]);
    expect(codes(problems)).toEqual(['blocked campaign-gone']);
  });

  it('leave a saved plan as it was while the service takes them up', () => {
    const printOf = (shown: Given['shown']) => plan({ shown: shown ?? {} }).fingerprint;
    expect(printOf({ status: 'active', total_leads: 302 })).toBe(
      printOf({ status: 'active', total_leads: 300 }),
    );
    expect(printOf({ status: 'active' })).not.toBe(printOf({ status: 'draft' }));
  });
});
