import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Content, Plan, PlannedChange } from '../../../src/model/outputs.js';
import { renderPlanText } from '../../../src/view/plan-text.js';
import { coloured, printable, renderJson } from '../../../src/view/terminal.js';
import { campaignPlan, NO_CONTENT, planOf } from '../../support/plans.js';
import { anyText } from '../../support/texts.js';

/** Hostile texts: control, bidirectional and invisible characters, log commands, and arbitrary text. */
const hostile = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: anyText({ maxLength: 8 }) },
      fc.constantFrom(
        '\u001b[2J',
        '\u001b]0;x\u0007',
        '\u009b2J',
        '\r',
        '\n',
        '\u202e',
        '\u200b',
        '\ud800',
        '::add-mask::x',
        '::set-output name=a::b',
        '##[add-mask]x',
        '##vso[task.setvariable variable=a]b',
        '##teamcity[buildStop]',
        '</details>',
      ),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''));

/** Whatever a terminal would act on, or not show. */
const MOVES =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u;
/** Lines that runners of GitHub, Azure and TeamCity would act on. */
const COMMAND = /^\s*::|##\[|##vso\[|##teamcity\[/im;

function sideOf(text: string): Content {
  const email = { email_subject: text, email_body: text, wait_in_days: 3, thread_reply: true };
  return {
    ...NO_CONTENT,
    settings: { unsubscribe_text: text, max_emails_per_day: 5 },
    schedule: {
      window: { days: [text], start_time: text, end_time: text, timezone: text },
      template: null,
      save_as_template: false,
    },
    sequence: { title: text, steps: [{ ...email, variants: [email] }] },
    leads: { lists: [5], ids: [] },
    status: text,
  };
}

function planWith(text: string): Plan {
  const change = (section: PlannedChange['section'], path: string, from: unknown, to: unknown) =>
    ({
      section,
      path,
      kind: from === null ? 'add' : 'update',
      from,
      to,
      note: text,
      origin: null,
    }) as PlannedChange;
  const spring = campaignPlan(text, {
    manifest: text,
    changes: [
      change('settings', 'unsubscribe_text', text, `${text}!`),
      change('schedule', 'timezone', text, 'Europe/Paris'),
      change('schedule', '', null, { days: [text], start_time: text, end_time: text, timezone: text }),
      change('sequence', 'steps[0].email_body', `a\n${text}\nb`, `a\n${text}\nc`),
      change('sequence', 'steps[0].email_subject', text, `${text}?`),
      change('status', '', text, 'running'),
    ],
    problems: [{ code: 'unknown-status', severity: 'blocked', message: text, hint: text }],
    content: { before: sideOf(text), after: sideOf(`${text}!`) },
  });
  return planOf([spring], {
    problems: [{ code: 'mass-change', severity: 'hazard', message: text, hint: text }],
  });
}

const RUNS = { numRuns: Number(process.env.TRUST_CASES ?? 500) };

describe('output', () => {
  it('contains no terminal controls or log commands, whatever the text', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const plan = planWith(text);
        const plain = printable(renderPlanText(plan, { paint: (_, shown) => shown, width: 80 }));
        expect(plain).not.toMatch(MOVES);
        expect(plain).not.toMatch(COMMAND);
        const inColour = printable(renderPlanText(plan, { paint: coloured, width: 80 }));
        expect(inColour.replace(/\u001b\[(?:1|2|22|3[1-6]|39)m/g, '')).not.toMatch(MOVES);
      }),
      RUNS,
    );
  });

  it('as JSON has the same value, without a character or command that a terminal or log would act on', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const json = renderJson({ text, [text]: [text] });
        expect(JSON.parse(json)).toEqual({ text, [text]: [text] });
        expect(json).not.toMatch(MOVES);
        expect(json).not.toMatch(COMMAND);
        expect(printable(json)).toBe(json);
      }),
      RUNS,
    );
  });

  it('is unchanged if it is harmless', () => {
    const text = 'std::vector ## Title 09:00::17:00 {FIRST_NAME} — “ça va”, 日本語 👩‍💻\n  indented\n';
    expect(printable(text.replace('\u200d', ''))).toBe(text.replace('\u200d', ''));
  });
});
