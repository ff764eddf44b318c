import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { PRESETS } from '../../src/model/environment.js';
import { check, production } from '../manifest/check.js';
import { readCases } from '../support/cases.js';

/** What a page says, and the codes of an example. A code may be followed by its line. */
interface Statement {
  says: string;
  codes: string[];
  yaml?: string;
  title?: string;
  subject?: string;
  body?: string;
  wait?: number;
  replies?: string[];
  plain?: true;
  preset?: true;
  undeclared?: true;
}

const statements = readCases<Statement[]>(import.meta.dirname, 'statements').flatMap(([title, all]) => {
  const [page = ''] = /docs\/[\w-]+\.md/.exec(title) ?? [];
  const text = oneLine(readFileSync(page, 'utf8'));
  return all.map((statement) => ({ page, text, ...statement }));
});

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

function manifest({
  yaml,
  title = 'A',
  subject = 'A question',
  body = '<p>See</p>',
  ...step
}: Statement): string {
  if (yaml !== undefined) return yaml;
  const { wait = 3, replies = [], plain } = step;
  const reply = (email_subject: string) => ({
    email_subject,
    email_body: body,
    wait_in_days: 3,
    thread_reply: true,
  });
  return stringify({
    name: 'A',
    ...(plain && { settings: { plain_text: true } }),
    sequence: {
      title,
      steps: [{ email_subject: subject, email_body: body, wait_in_days: wait }, ...replies.map(reply)],
    },
  });
}

test.each(statements)('$page says: $says', ({ text, ...statement }) => {
  expect(text).toContain(oneLine(statement.says));
  const { undeclared, preset, codes } = statement;
  const declared = ['FIRST_NAME', 'COMPANY', 'company website', 'sub-category'];
  const where = {
    ...production,
    custom_variables: undeclared ? null : declared,
    lead_lists: { 'installers-fr': 77 },
    capacity: 1000,
    service: { ...production.service, ...(preset && PRESETS.emailbison) },
  };
  const { findings } = check({ 'campaigns/spring.yaml': manifest(statement) }, { environments: [where] });
  const isLined = codes.some((code) => code.includes(' '));
  const found = findings.flatMap(({ code, line, message }) => {
    const others = / Also in lines? ([\d, ]+)\.$/.exec(message)?.[1]?.split(', ') ?? [];
    return [String(line), ...others].map((at) => (isLined ? `${code} ${at}` : code));
  });
  expect(found).toEqual(codes);
});
