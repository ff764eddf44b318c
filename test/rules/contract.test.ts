import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { RuleSwitch } from '../../src/manifest/resolve.js';
import { CONTRACT_CODES } from '../../src/rules/contract.js';
import { production, seen, staging } from '../manifest/check.js';
import { readCases } from '../support/cases.js';

const written = (documents: readonly object[]) =>
  documents.map((document) => stringify(document, { collectionStyle: 'block' })).join('---\n');

it('contradictions between manifests have a position, a message and a fix', async () => {
  const lines = readCases<object[]>(import.meta.dirname, 'contract').flatMap(([title, documents]) => {
    const rows = seen(written(documents)).map(([place, ...words]) => [place, ...words].join('\n  '));
    return [`# ${title}`, ...(rows.length > 0 ? rows : ['nothing']), ''];
  });
  await expect(lines.join('\n')).toMatchFileSnapshot('golden/contract.txt');
});

it.each(['off', 'warning'] as const)(
  'they stay errors if the project file says %s',
  (severity: RuleSwitch) => {
    const rules = Object.fromEntries(CONTRACT_CODES.map((code) => [code, severity]));
    for (const [title, documents] of readCases<object[]>(import.meta.dirname, 'contract'))
      expect([title, seen(written(documents), { rules })]).toEqual([title, seen(written(documents))]);
  },
);

it('the manifests of each environment are compared', () => {
  const manifest = 'name: Spring\n---\nname: Summer\nenvironments: { staging: { name: Spring } }\n';
  const places = (environments: (typeof production)[]) =>
    seen(manifest, { environments }).map(([place]) => place);
  expect(places([production])).toEqual([]);
  expect(places([production, staging])).toEqual(['4:34+6 duplicate-name']);
});
