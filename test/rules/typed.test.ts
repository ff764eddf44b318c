import { expect, test } from 'vitest';
import { check, production } from '../manifest/check.js';
import { readCases } from '../support/cases.js';

const declared = { ...production, custom_variables: ['FIRST_NAME', 'COMPANY'] };

/** `campaigns/spring.yaml` and the files that it names, as people type them. */
function lines(files: Record<string, string>): string[] {
  const { findings } = check(files, { environments: [declared] });
  return findings.flatMap(({ severity, code, file, line, column, length, message, hint }) => [
    `${file.replace('campaigns/', '')}:${line}:${column}+${length} ${severity} ${code}`,
    `  ${message}`,
    `  ${hint}`,
  ]);
}

test('each mistake has one message at its line, with a fix', async () => {
  const shown = readCases<string | Record<string, string>>(import.meta.dirname, 'typed').flatMap(
    ([title, typed]) => {
      const files = typeof typed === 'string' ? { 'spring.yaml': typed } : typed;
      const found = lines(
        Object.fromEntries(Object.entries(files).map(([file, text]) => [`campaigns/${file}`, text])),
      );
      return [`# ${title}`, ...(found.length === 0 ? ['nothing'] : found), ''];
    },
  );
  await expect(shown.join('\n')).toMatchFileSnapshot('golden/typed.txt');
});
