import { expect, test } from 'vitest';
import { refusal } from '../../src/apply/messages.js';
import { listedCampaign } from '../support/campaigns.js';
import { statusOf } from './spring.js';

const name = 'Spring';
const row = (id: number, status: string | null) => listedCampaign(id, name, status);
const created = (word: string | null): Parameters<typeof refusal> => [
  'created-as',
  { status: statusOf(word) },
];
const [isCreated, isPlanned] = [{ isCreated: true }, { isCreated: false }];

const REFUSED: Parameters<typeof refusal>[] = [
  ['wrong-workspace/pin', { campaign_id: 7, name }],
  ['wrong-workspace', { expected: 2 }],
  ['name-taken', row(900, 'draft')],
  ['not-listed', { id: 101, name }],
  ['not-alone', { id: 101, name, others: [row(900, 'draft')], isPinned: false }],
  ['not-alone', { id: 42, name, others: [row(43, 'active')], isPinned: true }],
  ['not-alone', { id: 42, name, others: [row(43, null), row(44, 'draft')], isPinned: true }],
  ['created-twice', { id: 101, name, others: [row(900, null)] }],
  ['gone', { id: 42 }],
  ['stranger', { status: statusOf('active') }],
  ['pause-not-shown', { status: statusOf('live') }],
  ...['active', 'queued', 'completed', 'fresh', null].map(created),
  ['sending', { status: statusOf('active'), ...isPlanned }],
  ['sending', { status: statusOf('active'), ...isCreated }],
  ['section-changed', { section: 'sequence' }],
  ['sets-back', { fields: ['settings.plain_text'], ...isPlanned }],
  ['sets-back', { fields: ['settings.plain_text', 'settings.open_tracking'], ...isCreated }],
  ['status-changed', { now: statusOf('paused'), before: 'draft', ...isPlanned }],
  ['status-changed', { now: statusOf(null), before: 'draft', ...isCreated }],
  ['status-changed', { now: statusOf('paused'), before: null, ...isPlanned }],
  ['predecessor-sends', { id: 7, name, status: statusOf('active') }],
  ['owner-woken', { id: 41, name, word: 'active' }],
  ['owner-woken', { id: 41, name, word: null }],
  ['not-as-read-back', { sections: ['settings', 'leads'] }],
  ['more-leads', { approved: 1, total: 501 }],
];

test('each reason for not sending a request is worded for its facts', async () => {
  const text = REFUSED.map(([key, facts]) => `${key}\n  ${refusal(key, facts)}\n`).join('');
  await expect(text).toMatchFileSnapshot('golden/refusals.txt');
});
