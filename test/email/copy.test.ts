import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CopyNode, everyNode, parseCopy } from '../../src/email/copy.js';
import { anyText } from '../support/texts.js';

const kinds = (text: string): string[] =>
  everyNode(parseCopy(text)).map((node) => `${node.kind} ${node.text}`);

describe('the nodes of email copy', () => {
  it.each<[string, string, string[]]>([
    ['a variable', 'Hi {FIRST_NAME},', ['text Hi ', 'variable {FIRST_NAME}', 'text ,']],
    ['a variable with a space in its name', '{COMPANY WEBSITE}', ['variable {COMPANY WEBSITE}']],
    ['lower case as mere braces', '{first_name}', ['braces {first_name}', 'text first_name']],
    ['a space at the edge as mere braces', '{ NAME }', ['braces { NAME }', 'text  NAME ']],
    ['a space at its end as mere braces', '{NAME }', ['braces {NAME }', 'text NAME ']],
    ['spintax', '{Hi|Hello}', ['spintax {Hi|Hello}', 'text Hi', 'text Hello']],
    [
      'spintax that starts with a variable, not as Liquid',
      '{{FIRST_NAME}|there}',
      ['spintax {{FIRST_NAME}|there}', 'variable {FIRST_NAME}', 'text there'],
    ],
    [
      'spintax that ends with spintax',
      '{Hey|{Hi|Hello}}',
      ['spintax {Hey|{Hi|Hello}}', 'text Hey', 'spintax {Hi|Hello}', 'text Hi', 'text Hello'],
    ],
    ['Liquid output', '{{ name | upcase }}', ['liquid {{ name | upcase }}']],
    ['Liquid tags', '{% if a %}x{% endif %}', ['liquid {% if a %}', 'text x', 'liquid {% endif %}']],
    ['a pipe outside of braces as text', 'Solar | Heat', ['text Solar | Heat']],
    [
      'an open brace that nothing closes, whatever follows',
      'Hi {FIRST_NAME, {COMPANY} | x',
      ['text Hi ', 'stray {', 'text FIRST_NAME, ', 'variable {COMPANY}', 'text  | x'],
    ],
    ['a closing brace alone', 'a } b', ['text a ', 'stray }', 'text  b']],
    [
      'the braces of a style block as text',
      '<STYLE media="all">p { color: red } @media { a{} }</style>{NAME}',
      ['text <STYLE media="all">p { color: red } @media { a{} }</style>', 'variable {NAME}'],
    ],
    ['a style block without an end like any text', '<style> {NAME}', ['text <style> ', 'variable {NAME}']],
  ])('reads %s', (_, text, expected) => {
    expect(kinds(text)).toEqual(expected);
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

  it('tells braces without a pipe from spintax, and keeps empty choices', () => {
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

  it('comes back when its nodes are put together, every inner node inside its source', () => {
    fc.assert(
      fc.property(copy, (text) => {
        const nodes = parseCopy(text);
        expect(nodes.map((node) => node.text).join('')).toBe(text);
        for (const node of everyNode(nodes)) expect(text.startsWith(node.text, node.start)).toBe(true);
      }),
    );
  });
});
