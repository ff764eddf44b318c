/** The summary of an apply counts the pauses that the read-back has confirmed. */
import { expect, it } from 'vitest';
import { active } from '../support/service/store.js';
import { applying, entry42, KNOWN, NAME } from './spring.js';

const RUNS = { ...KNOWN, status: 'running', has_run: true };
const IGNORED = { effect: false, status: 200, body: { data: { success: true } } };

it.each([
  { shown: 'paused', ignored: false, status: 'shown', result: 'done', paused: 1 },
  { shown: 'no status', ignored: false, status: 'hidden', result: 'done', paused: 1 },
  { shown: 'active', ignored: true, status: 'shown', result: 'incomplete', paused: 0 },
] as const)('a campaign that is read back as $shown counts $paused', ({ ignored, status, ...expected }) =>
  applying({ shape: { status }, campaigns: [active(42, NAME)] }, async ({ service, state, apply }) => {
    await state.save(entry42(RUNS));
    if (ignored) service.answerThen('PATCH', '/api/campaigns/42/pause', IGNORED);
    const { result, summary } = await apply({ status: 'paused' });
    expect({ result, paused: summary.paused }).toEqual({ result: expected.result, paused: expected.paused });
  }),
);
