import { parse } from 'yaml';
import type { Policies } from '../../src/rules/policies.generated.js';
import { compilePolicies, type Policy } from '../../src/rules/policies.js';
import { check } from '../manifest/check.js';

/** The policies of a project file, from the YAML below `policies:`. */
export function policies(yaml: string): Policy[] {
  return compilePolicies((parse(yaml) ?? {}) as Policies, ['production', 'staging']).policies;
}

export async function said(
  yaml: string,
  manifest: string,
  files: Readonly<Record<string, string>> = {},
): Promise<[place: string, message: string][]> {
  const { findings } = check({ ...files, 'campaigns/spring.yaml': manifest }, { policies: policies(yaml) });
  return findings
    .filter(({ code }) => /^(?:policy|recommended)\//.test(code))
    .map(({ file, line, column, length, code, message }) => [
      `${file === 'campaigns/spring.yaml' ? '' : `${file}:`}${line}:${column}+${length} ${code}`,
      message.replace(/^Policy [^:]*: /, ''),
    ]);
}

/** A manifest with one email; `body` may hold several lines. */
export function mail(subject: string, body: string, plainText = false): string {
  const lines = body.split('\n').map((line) => `        ${line}\n`);
  return `name: Spring
settings: { plain_text: ${plainText} }
sequence:
  title: Spring
  steps:
    - email_subject: ${JSON.stringify(subject)}
      email_body: |
${lines.join('')}      wait_in_days: 3
`;
}
