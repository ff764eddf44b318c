import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines, diffWords, foldUnchanged } from '../../src/view/diffs.js';
import { changedText } from '../../src/view/html-changes.js';
import { renderPlanMarkdown } from '../../src/view/plan-markdown.js';
import { renderPlanText } from '../../src/view/plan-text.js';
import { bodyChange, campaignPlan, planOf, step } from '../support/plans.js';
import { anyText } from '../support/texts.js';

/** `-gone-` and `+come+`. */
function shown(from: string, to: string): string {
  const sign = { same: '', removed: '-', added: '+' };
  return diffWords(from, to)
    .map(({ kind, text }) => `${sign[kind]}${text}${sign[kind]}`)
    .join('');
}

describe('words that differ', () => {
  it.each([
    ['one word', 'Hi, did you see it?', 'Hi, have you seen it?', 'Hi, -did-+have+ you -see-+seen+ it?'],
    [
      'a variable as one',
      'Hi {FIRST_NAME}, yes',
      'Hi {FIRST_NAME_2}, yes',
      'Hi -{FIRST_NAME}-+{FIRST_NAME_2}+, yes',
    ],
    ['a tag as one', '<p>Hi there</p>', '<p class="a">Hi there</p>', '-<p>-+<p class="a">+Hi there</p>'],
    [
      'letters of all kinds',
      'Für viele Änderungen',
      'Für viele Anderungen',
      'Für viele -Änderungen-+Anderungen+',
    ],
    ['nothing in common, one after the other', 'Good morning', 'See you', '-Good morning-+See you+'],
    ['what is new', '', 'See you', '+See you+'],
    ['a blank', 'a  b c d', 'a b c d', 'a-  -+ +b c d'],
  ])('%s', (_, from, to, expected) => {
    expect(shown(from, to)).toBe(expected);
  });

  it('always reproduce both texts', () => {
    const words = fc.array(fc.constantFrom('a', 'b ', ' ', '\n', '{X}', '<p>', '-', '👋', 'é'), {
      maxLength: 30,
    });
    const text = fc.oneof(
      anyText(),
      words.map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, text, (from, to) => {
        const stretches = diffWords(from, to);
        const side = (gone: string) =>
          stretches
            .filter(({ kind }) => kind !== gone)
            .map((piece) => piece.text)
            .join('');
        expect([side('added'), side('removed')]).toEqual([from, to]);
      }),
    );
  });
});

describe('a long text', () => {
  it('shows the word that differs among two hundred lines, and omits the rest', () => {
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index}`);
    const changed = lines.map((line, index) => (index === 120 ? 'row 120' : line));
    const same = (text: string) => [{ kind: 'same', text }];
    expect(foldUnchanged(diffLines(lines.join('\n'), changed.join('\r\n')), 1)).toEqual([
      119,
      same('line 119'),
      [
        { kind: 'removed', text: 'line' },
        { kind: 'added', text: 'row' },
        { kind: 'same', text: ' 120' },
      ],
      same('line 121'),
      78,
    ]);
  });
});

describe('added or removed white space', () => {
  const views = (from: string, to: string, path = 'steps[0].email_body') => {
    const changes = [{ ...bodyChange(from, to), path }];
    const plan = planOf([campaignPlan('Spring', { changes, steps: [step('sequence')] })]);
    const page = changedText(from, to).markup.replace(/<\/?(?:p|div)[^<>]*>/g, '');
    return [
      renderPlanText(plan),
      renderPlanMarkdown(plan),
      page.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code)),
    ];
  };

  it.each([
    ['a no-break space for a blank', 'Best, A', 'Best,\u00a0A', ['- Best,·A', '+ Best,<U+00A0>A']],
    ['where it does its work', 'Oh !', 'Oh\u00a0!', ['- Oh·!', '+ Oh<U+00A0>!']],
    ['a tab', 'a b', 'a\tb', ['- a·b', '+ a<U+0009>b']],
    ['one blank for two', 'a  b', 'a b', ['- a··b', '+ a·b']],
    ['at the end of a line', 'a', 'a ', ['- a', '+ a·']],
    ['the emoji form of a character', 'Hi \u2764', 'Hi \u2764\ufe0f', ['- Hi \u2764', '+ Hi \u2764<U+FE0F>']],
  ])('is a symbol in every view: %s', (_, from, to, lines) => {
    const [text = '', markdown = '', page] = views(`first\n${from}\nlast`, `first\n${to}\nlast`);
    expect(text.split('\n').map((line) => line.trimStart())).toEqual(expect.arrayContaining(lines));
    const [, signs = ''] = /^\+ [^·<]*([·<].*?)[^·>]?$/.exec(lines[1] ?? '') ?? [];
    for (const view of [markdown.replaceAll('&lt;', '<').replaceAll('&gt;', '>'), page])
      expect(view).toContain(`<ins>${signs}</ins>`);
  });

  it('is a symbol in a value on one line', () => {
    const [text, markdown] = views('Salut, Anne !', 'Salut, Anne\u00a0!', 'steps[0].email_subject');
    expect(text).toContain('Salut,·Anne·! → Salut,·Anne<U+00A0>!');
    expect(markdown).toContain('`Salut,·Anne·!` → `Salut,·Anne<U+00A0>!`');
  });

  it('is a code point in a value on one line, and no space is marked, if only the form of an emoji differs', () => {
    const [text, markdown] = views('Bye \u2764', 'Bye \u2764\ufe0f', 'steps[0].email_subject');
    expect(text).toContain('Bye \u2764 → Bye \u2764<U+FE0F>');
    expect(markdown).toContain('`Bye \u2764` → `Bye \u2764<U+FE0F>`');
  });
});
