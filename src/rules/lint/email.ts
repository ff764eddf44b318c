import { type CopyNode, everyNode, parseCopy } from '../../model/copy.js';
import type { Path } from '../../model/problem.js';
import type { CampaignSpec, ResolvedStep, ResolvedVariant } from '../../model/spec.js';

/** A subject or body. `path` is where it stands in the spec, `nodes` are all nodes of its copy, outer ones first. */
export interface Text {
  label: string;
  path: Path;
  value: string;
  nodes: readonly CopyNode[];
}

/** One email of a sequence: a step or a variant. `label` names it for people, steps counting from 1: `step 2, variant 1`. */
export interface Email {
  label: string;
  path: Path;
  step: number;
  subject: Text;
  body: Text;
  /** What is written on it; a variant leaves out what it shares with its step. */
  written: { wait_in_days?: number; thread_reply?: boolean };
  /** Whether it goes out as a reply, by itself or by its step. */
  reply: boolean;
}

/** The emails of a campaign in the order in which they are written. */
export function emailsOf(spec: CampaignSpec): Email[] {
  return (spec.sequence?.steps ?? []).flatMap((step, index) => {
    const base = { label: `step ${index + 1}`, path: ['sequence', 'steps', index], step: index };
    const reply = step.thread_reply === true;
    const variants = (step.variants ?? []).map((variant, at) =>
      emailOf(variant, {
        ...base,
        label: `${base.label}, variant ${at + 1}`,
        path: [...base.path, 'variants', at],
        reply: variant.thread_reply ?? reply,
      }),
    );
    return [emailOf(step, { ...base, reply }), ...variants];
  });
}

/** Subject and body of every email. */
export function textsOf(emails: readonly Email[]): Text[] {
  return emails.flatMap((email) => [email.subject, email.body]);
}

function emailOf(
  written: ResolvedStep | ResolvedVariant,
  where: Pick<Email, 'label' | 'path' | 'step' | 'reply'>,
): Email {
  const text = (field: 'email_subject' | 'email_body'): Text => ({
    label: `${where.label}, ${field}`,
    path: [...where.path, field],
    value: written[field],
    nodes: everyNode(parseCopy(written[field])),
  });
  return { ...where, subject: text('email_subject'), body: text('email_body'), written };
}
