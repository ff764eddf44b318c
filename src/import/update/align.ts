import type { Change } from '../../model/change.js';
import type { CampaignContext } from '../../plan/index.js';
import { decode, type Email, emailJson, normalize } from '../../sections/sequence/state.js';
import { canonicalText } from '../../sections/text.js';

/**
 * Planning compares step by step, so that one step more or less in the middle makes all behind it differ. Where the others are
 * there in their order, only those that came or went are told, at their own places: comments stay with their emails.
 */
export function aligned(changes: readonly Change[], context: CampaignContext): Change[] {
  const isStep = ({ section, path }: Change) => section === 'sequence' && path.startsWith('steps[');
  const rest = changes.filter((change) => !isStep(change));
  const moved = rest.length === changes.length ? null : comings(context);
  return moved === null ? [...changes] : [...rest, ...moved];
}

/** The steps that came or went; null where neither list is the other with some steps left out, or both are as long. */
function comings(context: CampaignContext): Change[] | null {
  const live = decode(context).steps;
  const desired = normalize(context.spec)?.steps ?? [];
  const [longer, shorter] = live.length > desired.length ? [live, desired] : [desired, live];
  const extra = extras(longer.map(keyOf), shorter.map(keyOf));
  if (extra === null || longer.length === shorter.length) return null;
  return extra.flatMap((index): Change[] => {
    const step = longer[index];
    if (step === undefined) return [];
    const json = { ...emailJson(step), variants: step.variants.map(emailJson) };
    const at = { section: 'sequence', path: `steps[${index}]`, note: null } as const;
    return [
      longer === live
        ? { ...at, kind: 'remove', from: json, to: null }
        : { ...at, kind: 'add', from: null, to: json },
    ];
  });
}

/** Indexes of what a list has more than another one that is part of it in the same order; null where it is not. */
function extras(longer: readonly string[], shorter: readonly string[]): number[] | null {
  const extra: number[] = [];
  let next = 0;
  longer.forEach((key, index) => {
    if (key === shorter[next]) next += 1;
    else extra.push(index);
  });
  return next === shorter.length ? extra : null;
}

function keyOf({ email_subject, email_body }: Email): string {
  const context = canonicalText(email_subject).replace(/^re:\s*/i, '');
  return JSON.stringify([context, canonicalText(email_body)]);
}
