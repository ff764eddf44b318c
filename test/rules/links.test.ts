import { expect, test } from 'vitest';
import { readCases } from '../support/cases.js';
import { mail, said } from './hold.js';

interface Case {
  policy: string;
  hrefs?: string[];
  body?: string;
  plainText?: boolean;
}

test('every way to write a link is seen at its place, and its host is known, unknown or none', async () => {
  const lines: string[] = [];
  for (const [, { policy, hrefs = [], body = '', plainText = false }] of readCases<Case>(
    import.meta.dirname,
    'links',
  )) {
    lines.push(`# ${policy}`);
    const bodies = hrefs.length > 0 ? hrefs.map((href) => `<a href="${href}">x</a>`) : [body];
    for (const [at, text] of bodies.entries()) {
      const found = await said(`p: { links: { ${policy} } }`, mail('One', text, plainText));
      lines.push(hrefs[at] ?? body, ...found.map(([place, message]) => `  ${place} ${message}`));
    }
    lines.push('');
  }
  await expect(lines.join('\n')).toMatchFileSnapshot('golden/links.txt');
});
