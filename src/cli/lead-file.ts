import { resolve } from 'node:path';
import { decodeLeads } from '../email/leads.js';
import type { SampleLead } from '../email/mail.js';
import { LIMITS, parseYaml } from '../manifest/index.js';
import { Failure } from '../model/failure.js';
import { readText } from '../project/files.js';

/** Reads leads to show emails to: YAML or JSON, one person or several. `file` as it was given, `cwd` where. */
export function readLeads(file: string, cwd: string, variables: readonly string[]): SampleLead[] {
  const { documents, findings } = parseYaml(file, textOf(file, cwd));
  const [finding] = findings;
  if (finding !== undefined) throw unusable(file, finding.message);
  const people = documents.flatMap(({ value }) => value);
  const decoded = decodeLeads(people, variables);
  if ('wrong' in decoded) throw unusable(file, decoded.wrong);
  return decoded.leads;
}

function textOf(file: string, cwd: string): string {
  try {
    const read = readText(resolve(cwd, file), LIMITS.manifest);
    if ('text' in read) return read.text;
    throw unusable(file, `It cannot be taken (${read.problem}).`);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw unusable(file, `It cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

function unusable(file: string, reason: string): Failure {
  return new Failure({
    code: 'lead-file-unusable',
    message: `The lead file ${file} cannot be used: ${reason}`,
    hint: 'Write one person or a list of people, each with variables and values: FIRST_NAME: Anna.',
  });
}
