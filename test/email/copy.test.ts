import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CopyNode, everyNode, parseCopy } from '../../src/email/copy.js';
import { readCases } from '../support/cases.js';
import { anyText } from '../support/texts.js';

const kinds = (text: string): string[] =>
  everyNode(parseCopy(text)).map((node) => `${node.kind} ${node.text}`);

describe('the nodes of email copy', () => {
  it('are read from the text', async () => {
    const read = readCases(import.meta.dirname, 'copy').map(([title, text]) => [
      `# ${title}`,
      ...kinds(text),
      '',
    ]);
    await expect(read.flat().join('\n')).toMatchFileSnapshot('golden/copy.txt');
  });
});

describe('the tree of email copy', () => {
  it('nests choices and keeps the source and its offset of every node', () => {
    expect(parseCopy('Hi {{FIRST_NAME}|{dear|my} friend}!')).toEqual<CopyNode[]>([
      { kind: 'text', text: 'Hi ', start: 0 },
      {
        kind: 'spintax',
        text: '{{FIRST_NAME}|{dear|my} friend}',
        start: 3,
        choices: [
          [{ kind: 'variable', text: '{FIRST_NAME}', start: 4, name: 'FIRST_NAME' }],
          [
            {
              kind: 'spintax',
              text: '{dear|my}',
              start: 17,
              choices: [
                [{ kind: 'text', text: 'dear', start: 18 }],
                [{ kind: 'text', text: 'my', start: 23 }],
              ],
            },
            { kind: 'text', text: ' friend', start: 26 },
          ],
        ],
      },
      { kind: 'text', text: '!', start: 34 },
    ]);
  });

  it('distinguishes braces without a pipe from spintax, and keeps empty choices', () => {
    expect(parseCopy('{first_name}{Hi|}{}')).toEqual<CopyNode[]>([
      {
        kind: 'braces',
        text: '{first_name}',
        start: 0,
        content: [{ kind: 'text', text: 'first_name', start: 1 }],
      },
      { kind: 'spintax', text: '{Hi|}', start: 12, choices: [[{ kind: 'text', text: 'Hi', start: 13 }], []] },
      { kind: 'braces', text: '{}', start: 17, content: [] },
    ]);
  });

  it('lists outer nodes before inner ones', () => {
    expect(everyNode(parseCopy('{a|{B}}{{c}}')).map((node) => node.text)).toEqual([
      '{a|{B}}',
      'a',
      '{B}',
      '{{c}}',
    ]);
  });
});

describe('any text at all', () => {
  const pieces = [
    '{',
    '}',
    '|',
    '{{',
    '}}',
    '{%',
    '%}',
    '<style>',
    '</style>',
    'NAME',
    'hi',
    ' ',
    '\n',
    'é',
    '👋',
  ];
  const copy = fc.oneof(
    anyText(),
    fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join('')),
  );

  it('is restored by joining its nodes, and each inner node lies within its source', () => {
    fc.assert(
      fc.property(copy, (text) => {
        const nodes = parseCopy(text);
        expect(nodes.map((node) => node.text).join('')).toBe(text);
        for (const node of everyNode(nodes)) expect(text.startsWith(node.text, node.start)).toBe(true);
      }),
    );
  });
});
