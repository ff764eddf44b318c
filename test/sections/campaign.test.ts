import { describe, expect, it } from 'vitest';
import { CREATED_STATE, UNKNOWN_STATE } from '../../src/model/state.js';
import { campaign } from '../../src/sections/campaign.js';
import { listedCampaign } from '../support/campaigns.js';
import { coded, IN_SYNC, liveContext, newContext } from '../support/context.js';
import { step } from '../support/plans.js';

const row = listedCampaign(42);
const { total_leads: _, updated_at: _at, ...listed } = row;
const CREATE = step('campaign', {
  ...{ id: 'create', title: 'create the campaign', path: '/api/campaigns' },
  ...{ body: { name: 'Spring installers' }, irreversible: true },
});

describe('a campaign', () => {
  it('that does not exist is created with only its name', () => {
    expect(campaign.plan(newContext({}))).toEqual({
      changes: [
        { section: 'campaign', path: 'name', kind: 'add', from: null, to: 'Spring installers', note: null },
      ],
      problems: [],
      steps: [CREATE],
      live: null,
    });
  });

  it('that exists is not changed', () => {
    expect(campaign.plan(liveContext({}, { listed: row }))).toEqual({ ...IN_SYNC, live: listed });
  });

  it('that is pinned is known from its record if the list was not read', () => {
    const record = { id: '42', name: 'Spring installers ', status: 'draft' };
    expect(campaign.plan(liveContext({ id: 42 }, { campaign: record })).live).toEqual(listed);
  });

  it('that is pinned has the manifest name if only white space differs', () => {
    const { problems } = campaign.plan(
      liveContext({ id: 42 }, { listed: { ...row, name: '  Spring\u0007installers\n' } }),
    );
    expect(problems).toEqual([]);
  });

  it('that is pinned and has a different name is used, with a warning', () => {
    expect(
      coded(campaign.plan(liveContext({ id: 42 }, { listed: { ...row, name: 'Spring 2025' } }))),
    ).toEqual({
      changes: [],
      problems: ['warning name-differs'],
      steps: [],
      live: { ...listed, name: 'Spring 2025' },
    });
  });

  it.each(['archived', 'Deleted', 'Pending deletion'])('that is "%s" is blocked', (status) => {
    expect(coded(campaign.plan(liveContext({}, { listed: { ...row, status } })))).toEqual({
      changes: [],
      problems: ['blocked campaign-gone'],
      steps: [],
      live: { ...listed, status },
    });
  });

  it('that is gone is detected in its record if the list shows no status', () => {
    const shown = { listed: { ...row, status: null }, campaign: { id: row.id, status: 'archived' } };
    expect(coded(campaign.plan(liveContext({ status: 'running' }, shown))).problems).toEqual([
      'blocked campaign-gone',
    ]);
  });

  it('that is gone in its record but active in the list counts as sending, so it can be paused', () => {
    const shown = { listed: { ...row, status: 'active' }, campaign: { id: row.id, status: 'archived' } };
    expect(campaign.plan(liveContext({ status: 'paused' }, shown)).problems).toEqual([]);
  });

  it('without a name in its record is still the pinned one', () => {
    expect(campaign.plan(liveContext({ id: 42 }, { campaign: { id: 42 } })).problems).toEqual([]);
  });

  it('that was just created has a certain state', () => {
    const [step] = campaign.plan(newContext({})).steps;
    if (step === undefined) throw new Error('a step was expected');
    expect(campaign.recordStep(UNKNOWN_STATE, step, 'done')).toEqual(CREATED_STATE);
    expect(campaign.recordStep(UNKNOWN_STATE, step, 'in_doubt')).toEqual(UNKNOWN_STATE);
  });
});
