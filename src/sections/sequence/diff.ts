import type { Change } from '../../model/change.js';
import { isObject } from '../../model/json.js';
import type { Problem } from '../../model/problem.js';
import type { Difference, SectionContext } from '../section.js';
import { canonicalText } from '../text.js';
import { change, compare, type SequenceMatch } from './compare.js';
import type { Desired, Live } from './state.js';

/** How the difference is closed; `blocked` where this interface has no way. */
export type Way = 'nothing' | 'create' | 'variants' | 'append' | 'replace' | 'blocked';

export function diff(live: Live, desired: Desired, context: SectionContext): Difference {
  const compared = compare(live, desired);
  const title = compared.standing === 'none' ? [] : titleChange(live, desired, context);
  const changes = [...title, ...compared.changes];
  const way = wayTo(live, desired, context);
  const problems =
    way === 'blocked' ? [blocked(compared.standing, context)] : variantsAfter(way, desired, context);
  return { changes, problems };
}

/** Variants by id need a second request, which a service that replaces or refuses may take the wrong way. */
function variantsAfter(way: Way, desired: Desired, { environment }: SectionContext): Problem[] {
  const { sequence_repost, variant_reference } = environment.service;
  const second = variant_reference === 'step_id' && desired.steps.some(({ variants }) => variants.length > 0);
  const risky = sequence_repost === 'replace' || sequence_repost === 'refuse';
  if (way === 'nothing' || !second || !risky) return [];
  return [
    {
      code: 'variants-apart',
      severity: 'warning',
      message: `Variants are sent in a second request, after their steps, and sequence_repost: ${sequence_repost} says that this service would ${sequence_repost} it. It is sent, and only what is read back afterwards counts.`,
      hint: 'If this service takes variants together with their steps, say variant_reference: order.',
    },
  ];
}

/** A sequence that exists is posted again only where the project file says what this service does then. */
export function wayTo(live: Live, desired: Desired, context: SectionContext): Way {
  const { sequence_repost, variant_reference } = context.environment.service;
  const { standing, changes } = compare(live, desired);
  const retitled = standing !== 'none' && titleChange(live, desired, context).length > 0;
  if (standing === 'none') return 'create';
  if (standing === 'equal' && !retitled) return 'nothing';
  if (standing === 'bare' && !retitled && variant_reference === 'step_id') return 'variants';
  if (sequence_repost === 'replace') return 'replace';
  if (standing !== 'extended' || retitled || sequence_repost !== 'append') return 'blocked';
  // By order, a variant can only name a step of its own request.
  const onlySteps = changes.every(({ path }) => !path.includes('.variants['));
  return variant_reference === 'step_id' || onlySteps ? 'append' : 'blocked';
}

/** Most services never show the title: it is then compared with what was last applied, if that is known. */
function titleChange(live: Live, desired: Desired, context: SectionContext): Change[] {
  const shown = live.title === null ? '' : canonicalText(live.title);
  const applied = context.recorded.applied.sequence;
  const remembered = isObject(applied) && typeof applied.title === 'string' ? applied.title : '';
  const from = shown || canonicalText(remembered);
  if (from === '' || from === canonicalText(desired.title)) return [];
  const note = shown ? null : 'the service does not show it; compared with what was last applied';
  return [{ ...change('title', 'update', from, desired.title), note }];
}

function blocked(standing: SequenceMatch, context: SectionContext): Problem {
  const { sequence_repost } = context.environment.service;
  if (standing === 'bare') {
    return {
      code: 'sequence-variants',
      severity: 'blocked',
      message:
        'The variants are missing, and with variant_reference: order they can only be sent together with their steps.',
      hint: 'If this service takes ids, say variant_reference: step_id; else add the variants in the web page of the service.',
    };
  }
  const added = standing === 'extended' && sequence_repost === 'unknown';
  return {
    code: 'sequence-exists',
    severity: 'blocked',
    message: added
      ? 'Steps are only added, but whether posting to a sequence that exists appends, replaces or doubles it is not documented.'
      : 'A sequence that exists cannot be edited through this interface: posting it again would mail every lead twice.',
    hint: `${
      added
        ? 'If you know that this service appends, say sequence_repost: append under service. Otherwise make'
        : 'Make'
    } the change in the web page of the service and plan again, take it back in the manifest, or give the manifest another name to make a new campaign.`,
  };
}
