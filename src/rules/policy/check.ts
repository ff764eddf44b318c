import type { LintSubject } from '../../manifest/resolve.js';
import type { CopyNode } from '../../model/copy.js';
import type { JsonObject } from '../../model/json.js';
import type { Path } from '../../model/problem.js';
import type { Email } from '../lint/email.js';
import type { Remark } from '../lint/rule.js';
import type { PolicyConfig } from './config.generated.js';
import type { Link } from './links-in.js';

/** An email with what policies look at: its links, and subject and body as people read them, in lower case. */
export interface ReadEmail extends Email {
  links: readonly Link[];
  read: { subject: readonly CopyNode[]; body: readonly CopyNode[] };
}

/** A campaign with its emails read, once for all policies. */
export interface ReadCampaign {
  subject: LintSubject;
  emails: readonly ReadEmail[];
}

/** What a policy says that cannot be meant: `path` leads into the policy. */
export interface Fault {
  path: Path;
  message: string;
  hint: string;
}

/** One kind of thing that a policy can ask for, under its own key. */
export interface Check {
  key: Exclude<keyof PolicyConfig, 'reason' | 'severity' | 'environments' | 'waivable' | 'optional'>;
  schema: JsonObject;
  /** Takes a policy that is as the schema says, as `breaches` does; each leaves alone what has not its key. */
  faults(policy: PolicyConfig): Fault[];
  breaches(policy: PolicyConfig, campaign: ReadCampaign): Remark[];
}

/** Two bounds the wrong way round. */
export function reversed(low: number | undefined, high: number | undefined, path: Path): Fault[] {
  if (low === undefined || high === undefined || low <= high) return [];
  const message = `${path.join('.')}: no number is at least ${low} and at most ${high}.`;
  return [{ path, message, hint: 'Swap the two, or leave one out.' }];
}

/** What is asked for is not there: said at its section, or at the name of the campaign where there is none. */
export function notWritten(subject: LintSubject, path: readonly string[], hint: string): Remark {
  const [section = ''] = path;
  const hasSection = path.length > 1 && Object.hasOwn(subject.spec, section);
  return {
    message: `${path.join('.')} is not written, so nobody can tell what holds in the service.`,
    hint,
    place: hasSection ? subject.at([section], { target: 'key' }) : subject.at(['name']),
  };
}
