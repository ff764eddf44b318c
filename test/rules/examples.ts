import { parseAllDocuments, stringify } from 'yaml';

const STEP = { email_subject: 'A question', email_body: '<p>Worth a look?</p>', wait_in_days: 3 };

/** Parts of a YAML block by their comments: `# bad`, `# good`. */
export function examples(markdown: string): Record<string, string> {
  const block = /```yaml\n(# (?:policy|bad)\n[\s\S]*?)```/.exec(markdown)?.[1] ?? '';
  const parts = block.split(/^# (policy|bad|good)\n/m).slice(1);
  return Object.fromEntries(
    ['policy', 'bad', 'good'].map((name) => [name, parts[parts.indexOf(name) + 1] ?? '']),
  );
}

/** Manifests whose decisive keys are those of an example. Steps, and keys of a step, stand for a sequence. */
export function manifests(example: string): string {
  return parseAllDocuments(example, { schema: 'core' })
    .map((document) => {
      const { steps, email_subject, email_body, wait_in_days, ...rest } = document.toJS();
      const step = Object.entries({ email_subject, email_body, wait_in_days }).filter(
        ([, value]) => value !== undefined,
      );
      const shown: object[] = steps ?? (step.length > 0 ? [Object.fromEntries(step)] : []);
      const filled = shown.map((keys) => ({ ...STEP, ...keys }));
      const sequence = filled.length > 0 ? { sequence: { title: 'Spring sequence', steps: filled } } : {};
      return stringify({ name: 'Spring installers', ...rest, ...sequence });
    })
    .join('---\n');
}
