import { property } from '../model/json.js';
import type { Problem } from '../model/outputs.js';
import type { InventoryEntry } from '../model/reports.js';
import { bounceRate, leadsLeft, replyRate } from '../model/results.js';
import { count, percent, thousands } from '../model/words.js';
import type { PolicyConfig } from './policies.generated.js';
import type { RefillAdvice } from './refill.js';
import { isInForce, type PolicyKind } from './rule.js';

export type ResultLimits = NonNullable<PolicyConfig['results']>;

const RATE = { type: 'string', pattern: '^\\d{1,2}(\\.\\d+)? ?%$' };
/** Fewer emails or contacted leads say little. Default of `after`, and its minimum. */
const ENOUGH = 100;
const after = (what: string) =>
  property(
    { type: 'integer', minimum: ENOUGH, default: ENOUGH },
    `The limit applies once this many ${what}.`,
    200,
  );

export const resultsPolicy: PolicyKind<'results'> = {
  key: 'results',
  schema: {
    title: 'ResultsPolicy',
    description:
      'Limits on results. `list` warns about running campaigns that break them, and `list --check` then exits with 2.',
    examples: [{ bounced: { max: '3%', after: 200 }, leads_left: { min: 100 } }],
    properties: {
      bounced: {
        type: 'object',
        additionalProperties: false,
        required: ['max'],
        description: 'Bounces as a share of sent emails.',
        examples: [{ max: '3%', after: 200 }],
        properties: {
          max: property(RATE, 'Maximum share.', '3%'),
          after: after('emails have been sent'),
        },
      },
      replies: {
        type: 'object',
        additionalProperties: false,
        required: ['min'],
        description: 'Replies as a share of contacted leads.',
        examples: [{ min: '1%', after: 500 }],
        properties: {
          min: property(RATE, 'Minimum share.', '1%'),
          after: after('leads have been contacted'),
        },
      },
      leads_left: {
        type: 'object',
        additionalProperties: false,
        required: ['min'],
        description: 'Leads not yet contacted.',
        examples: [{ min: 100 }],
        properties: {
          min: property({ type: 'integer', minimum: 1 }, 'Minimum number of leads not yet contacted.', 100),
        },
      },
    },
  },
  check: () => [],
};

interface ResultPolicy {
  code: string;
  reason: string | null;
  environments: readonly string[] | null;
  results: ResultLimits | null;
}

interface ResultContext {
  policies: readonly ResultPolicy[];
  environment: string;
  refill: RefillAdvice | null;
}

export function checkResults(
  results: InventoryEntry['results'],
  { policies, environment, refill }: ResultContext,
): Problem[] {
  const broken = policies
    .filter((policy) => isInForce(policy, environment))
    .flatMap(({ code, reason, results: limits }) =>
      [...breaches(limits ?? {}, results, refill)].map(({ message, hint, ...more }): Problem => {
        const whole = `${hint}${reason === null ? '' : ` ${reason}`}`;
        return { code, severity: 'warning', message, hint: whole, ...more };
      }),
    );
  const isReported = broken.some(({ lines }) => lines !== undefined);
  return isReported ? broken : [...broken, ...exhausted(results, refill)];
}

/** Only of a campaign whose manifest has a value of `refill`: others may end. */
function exhausted(results: InventoryEntry['results'], refill: RefillAdvice | null): Problem[] {
  if (refill?.hasRefill !== true || leadsLeft(results) !== 0) return [];
  const { hint, lines } = refill;
  const message = `All ${count(results.leads ?? 0, 'lead')} were contacted, and the manifest attaches lists again (refill).`;
  return [{ code: 'leads-exhausted', severity: 'warning', message, hint, lines }];
}

function* breaches(
  { bounced, replies, leads_left }: ResultLimits,
  results: InventoryEntry['results'],
  refill: RefillAdvice | null,
) {
  const [bounces, answers, remaining] = [bounceRate(results), replyRate(results), leadsLeft(results)];
  const { sent, leads_contacted } = results;
  if (bounced && bounces !== null && (sent ?? 0) >= (bounced.after ?? ENOUGH) && bounces > share(bounced.max))
    yield {
      message: `${percent(bounces)} of ${thousands(sent ?? 0)} emails bounced, more than ${bounced.max}.`,
      hint: 'Pause the campaign and check its leads.',
    };
  if (
    replies &&
    answers !== null &&
    (leads_contacted ?? 0) >= (replies.after ?? ENOUGH) &&
    answers < share(replies.min)
  )
    yield {
      message: `${percent(answers)} of ${thousands(leads_contacted ?? 0)} contacted leads replied, less than ${replies.min}.`,
      hint: 'Try different emails in a campaign that replaces this one.',
    };
  if (leads_left && remaining !== null && remaining < leads_left.min)
    yield {
      message: `${remaining === 0 ? 'No leads' : `Only ${count(remaining, 'lead')}`} left to contact, fewer than ${thousands(leads_left.min)}.`,
      ...(refill === null
        ? { hint: 'Attach more leads, or let the campaign end.' }
        : { hint: `${refill.hint} Or let the campaign end.`, lines: refill.lines }),
    };
}

function share(written: string): number {
  return Number.parseFloat(written) / 100;
}
