import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asSeen, exactly, html, mailFrame } from '../../src/view/html-page.js';
import { renderPlanHtml } from '../../src/view/plan-html.js';
import { printable, visible } from '../../src/view/terminal.js';
import { planOf } from '../support/plans.js';
import { hostileMails } from './hostile.js';
import { campaign, campaignContent, change, email, mixedPlan } from './plans.js';

/** Texts of characters that have a meaning in HTML, terminals and pipeline logs. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '<',
        '>',
        '&',
        '"',
        "'",
        '`',
        '::',
        '##',
        '##[',
        '\n',
        '\r\n',
        ' ',
        '&amp;',
        '\u202e',
        '\u200d',
        '\u001b',
        '\u0085',
        '</iframe>',
      ),
      fc.string(),
    ),
  )
  .map((parts) => parts.join(''));

/** Decodes references as a browser does. */
function decoded(markup: string): string {
  return markup.replace(/&#(?:x([0-9a-f]+)|(\d+));/g, (_, hex, decimal) =>
    String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal)),
  );
}

describe('markup', () => {
  it('inserts text as text, markup as markup, lists in order, and nothing for null', () => {
    const inner = html`<b>${'a<b'}</b>`;
    expect(html`<p title="${'"'}">${inner}${[1, 'x', null]}${null}</p>`.markup).toBe(
      '<p title="&#34;"><b>a&#60;b</b>1x</p>',
    );
  });

  it('shows characters that would hide or move text', () => {
    expect(html`${'a\u202eb\u0007c\r\nd'}`.markup).toBe('a&#60;U+202E&#62;b&#60;U+0007&#62;c\nd');
  });

  it('escapes all text, including what a terminal or a log would act on', () => {
    fc.assert(
      fc.property(text, (foreign) => {
        const shown = html`${foreign}`.markup;
        expect(shown).not.toMatch(/[<>"'`]/);
        expect(printable(shown)).toBe(shown);
      }),
    );
  });

  it('shows a text as recipients see it, including tabs, and marks invisible characters', () => {
    fc.assert(
      fc.property(text, (foreign) => {
        const inside = /^<bdi>(.*)<\/bdi>$/s.exec(asSeen(foreign).markup)?.[1] ?? '';
        expect(inside).not.toMatch(/[<>"'`]/);
        expect(printable(inside)).toBe(inside);
        expect(decoded(inside)).toBe(visible(foreign.replace(/\r\n?/g, '\n')).replaceAll('<U+0009>', '\t'));
      }),
    );
  });
});

describe('the frame of an email', () => {
  it('is one element, with a policy before the email, whatever the email contains', () => {
    fc.assert(
      fc.property(text, (mail) => {
        const { markup } = mailFrame({ title: mail, html: mail, text: mail });
        const [, srcdoc = ''] =
          /^<iframe class="mail" sandbox="" loading="lazy" referrerpolicy="no-referrer" title="[^"<>]*" style="--wide:\d+;--narrow:\d+" srcdoc="([^"<>]*)"><\/iframe>$/.exec(
            markup,
          ) ?? [];
        expect(decoded(srcdoc)).toMatch(
          /^<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none';/,
        );
      }),
    );
  });
});

describe('a page', () => {
  it('needs no further escaping', () => {
    const page = renderPlanHtml(mixedPlan());
    expect(printable(page)).toBe(page);
    const hostile = Object.values(hostileMails('http://127.0.0.1:9'));
    const pages = hostile.map((body) => {
      const steps = [{ ...email({ email_subject: body, email_body: body }), variants: [] }];
      const changes = [
        change({ section: 'sequence', path: 'steps[0].email_body', from: `x${body}`, to: body }),
      ];
      return renderPlanHtml(
        planOf([
          campaign({
            name: body,
            content: { before: null, after: campaignContent({ sequence: { title: body, steps } }) },
            changes,
          }),
        ]),
      );
    });
    for (const word of pages) expect(printable(word)).toBe(word);
  });

  it('contains an email with its tabs and without forbidden characters', () => {
    expect(exactly('a\tb\u0001\u200b').markup).toBe('a\tb\ufffd&#x200b;');
  });

  it('names no address that it could load', () => {
    const outside = renderPlanHtml(mixedPlan()).replace(/srcdoc="[^"]*"/g, '');
    expect(outside).not.toMatch(/\b(?:src|href|action|data|poster|srcset)="(?!#|")/);
    expect(outside).not.toMatch(/url\(|@import/);
    // Only our script runs, because the policy contains its hash.
    const [, source = ''] = /<script>(.*?)<\/script>/s.exec(outside) ?? [];
    const hash = createHash('sha256').update(source).digest('base64');
    expect(outside.split('<script').length).toBe(2);
    expect(outside).toContain(`script-src 'sha256-${hash}'">`);
  });
});
