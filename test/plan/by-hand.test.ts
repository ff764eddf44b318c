import { describe, expect, it } from 'vitest';
import type { CampaignSpec } from '../../src/model/spec.js';
import { CREATED_STATE } from '../../src/model/state.js';
import {
  attachByHand,
  carryByHand,
  deleteByHand,
  listTasks,
  withoutRemovedLeads,
} from '../../src/plan/by-hand.js';
import { problem } from '../../src/plan/messages.js';
import { campaign, entryOf, listedCampaign } from '../support/campaigns.js';
import { liveContext, newContext, type Shown } from '../support/context.js';
import { environment } from '../support/environment.js';
import { step } from '../support/plans.js';

const NAME = 'Spring installers';
const EMAIL = { email_subject: 'Hi', email_body: 'Hello', wait_in_days: 1 };
const SEQUENCE = { title: 'Spring', steps: [EMAIL] };
const OFF = { title: 'Spring', steps: [{ id: 1, order: 1, ...EMAIL, thread_reply: false, active: false }] };
const TASK = {
  campaign: NAME,
  id: 42,
  manifest: 'spring.yaml',
  section: null,
  path: '',
  place: '',
  from: null,
  to: null,
};
const ACTIVE = {
  section: 'sequence',
  path: 'steps[0].active',
  place: 'sequence, step 1: active',
  from: false,
  to: true,
};

describe('tasks by hand', () => {
  it.each<[string, Partial<CampaignSpec>, Shown, object[]]>([
    [
      'an email is switched off',
      { sequence: SEQUENCE },
      { campaign: { name: NAME, status: 'draft' }, sequence: OFF },
      [{ ...TASK, does: 'update', ...ACTIVE }],
    ],
    [
      'a campaign is gone',
      { sequence: SEQUENCE },
      { campaign: { name: NAME, status: 'archived' }, sequence: OFF },
      [{ ...TASK, does: 'restore', path: 'status', place: 'status', from: 'archived' }],
    ],
    [
      'a pinned campaign is called otherwise',
      { id: 42 },
      { campaign: { name: 'Fair', status: 'draft' }, listed: listedCampaign(42, 'Fair') },
      [{ ...TASK, campaign: 'Fair', does: 'rename', path: 'name', place: 'name', from: 'Fair', to: NAME }],
    ],
  ])('%s', (_, spec, shown, tasks) => {
    const target = liveContext(spec, { ...shown, campaign: { id: 42, ...Object(shown.campaign) } });
    expect(listTasks(target, 'spring.yaml')).toEqual(tasks);
  });

  it('there are none for a campaign that does not exist', () => {
    expect(listTasks(newContext({ sequence: SEQUENCE }), 'spring.yaml')).toEqual([]);
  });

  it('sender accounts are attached before a launch that needs them', () => {
    const manifest = campaign('spring.yaml');
    expect(attachByHand([problem('launch-withheld')], manifest)).toEqual([]);
    const needed = { ...problem('launch-withheld'), code: 'launch-needs-senders' as const };
    expect(attachByHand([problem('launch-withheld'), needed], manifest)).toEqual([
      { ...TASK, id: null, does: 'attach' },
    ]);
  });

  it('what manifests cannot carry over is named while the successor is created or launched', () => {
    const predecessor = { id: 7, name: 'Old', row: null, entry: null };
    const target = { ...liveContext({}, {}), campaign: campaign('spring.yaml'), predecessor };
    const task = { ...TASK, does: 'carry', from: 'Old', replaces: 7 };
    const NOT_SHOWN = 'attachments, tags, sender accounts and limits that manifests do not have';
    const carry = (id: string, of = target) =>
      carryByHand(of, [step('settings'), step('status', { id })], null);
    for (const id of ['create', 'launch']) expect(carry(id)).toEqual([{ ...task, place: NOT_SHOWN }]);
    expect(carry('pause')).toEqual([]);
    expect(carryByHand({ ...target, predecessor: null }, [step('status', { id: 'launch' })], null)).toEqual(
      [],
    );
    const unnamed = { ...target, predecessor: { ...predecessor, name: null } };
    expect(carryByHand(unnamed, [step('status', { id: 'launch' })], null)).toMatchObject([{ from: 7 }]);
    const replaced = liveContext({}, { campaign: { id: 7, name: 'Old', tags: ['a'] } });
    expect(carryByHand(target, [step('status', { id: 'launch' })], replaced)).toEqual([
      { ...task, path: 'tags', place: 'the tag a' },
      { ...task, place: `what else it has of ${NOT_SHOWN}` },
    ]);
  });

  it('a campaign that may be deleted is named with its successor', () => {
    const left = { id: 42, name: NAME, manifest: 'spring.yaml', status: 'paused' };
    const task = { ...TASK, does: 'delete', from: 'paused' };
    expect(deleteByHand([left, { ...left, superseded_by: 43 }])).toEqual([
      task,
      { ...task, superseded_by: 43 },
    ]);
  });
});

describe('leads that a person has removed', () => {
  const recorded = {
    ...CREATED_STATE,
    attached: { lists: [5, 6], ids: [1, 2] },
    doubtful: { lists: [7], ids: [] },
  };
  const entry = { ...entryOf(42, 'spring.yaml'), recorded };
  const without = (spec: Partial<CampaignSpec>) =>
    withoutRemovedLeads(entry, { name: NAME, ...spec }, environment());

  it('are in doubt, so that attaching them again needs approval', () => {
    const removed = { attached: { lists: [5], ids: [1] }, doubtful: { lists: [6, 7], ids: [2] } };
    expect(without({ leads: { lists: [5], ids: [1] } })).toEqual({
      entry: { ...entry, recorded: { ...recorded, ...removed } },
      leads: { lists: [6], ids: [2] },
    });
    expect(without({ leads: { lists: [5, 6], ids: [1] }, settings: { plain_text: true } })?.leads).toEqual({
      lists: [],
      ids: [2],
    });
  });

  it('are none if the manifest has them all, or manages no leads', () => {
    expect(without({ leads: { lists: [5, 6, 8], ids: [1, 2] } })).toBeNull();
    expect(without({})).toBeNull();
  });
});
