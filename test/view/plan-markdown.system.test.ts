import fc from 'fast-check';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import type { CampaignPlan, Change, Plan, PlannedChange, PlanProblem } from '../../src/model/outputs.js';
import { renderPlanMarkdown } from '../../src/view/plan-markdown.js';
import { bodyChange, campaignPlan, planOf, step } from '../support/plans.js';
import { anyText } from '../support/texts.js';

/** Renders Markdown to HTML as a platform does before sanitizing. */
function rendered(markdown: string): string {
  return micromark(markdown, {
    allowDangerousHtml: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  });
}

const markdown = (plan: Plan, limit = 60_000) => renderPlanMarkdown(plan, limit);

const email = { email_subject: 'A question', email_body: 'Hi', wait_in_days: 3, thread_reply: false };
const added = (section: Change['section'], path: string, to: Change['to']): PlannedChange => ({
  section,
  path,
  kind: 'add',
  from: null,
  to,
  note: null,
  origin: null,
});
const altered = (
  section: Change['section'],
  path: string,
  values: [Change['from'], Change['to']],
): PlannedChange => ({
  section,
  path,
  kind: 'update',
  from: values[0],
  to: values[1],
  note: null,
  origin: null,
});
const launch: PlanProblem = {
  code: 'launch',
  severity: 'hazard',
  message: 'The campaign starts sending.',
  hint: 'Accept with --allow launch.',
};
/** A campaign with the text in every place for untrusted text. */
function saying(text: string): CampaignPlan {
  return campaignPlan(text, {
    manifest: text,
    changes: [
      { ...altered('settings', 'unsubscribe_text', [text, `${text}!`]), note: text },
      added('schedule', '', { days: ['monday'], start_time: text, end_time: text, timezone: text }),
      added('sequence', '', {
        title: text,
        steps: [
          { ...email, email_subject: text, email_body: text, variants: [{ ...email, email_body: text }] },
        ],
      }),
      bodyChange(`a\n${text}\nb`, `a\n${text}\nc`),
      altered('sequence', 'steps[1].email_subject', [text, `${text}?`]),
      { ...added('sequence', 'steps[2]', null), kind: 'remove', from: { ...email, email_body: text } },
      altered('status', '', [text, 'running']),
    ],
    problems: ['blocked', 'hazard', 'warning'].map((severity) => ({
      code: `policy/some-${severity}` as const,
      severity: severity as PlanProblem['severity'],
      message: text,
      hint: text,
    })),
  });
}

/** The tags of a page, without text. */
function skeleton(html: string): string[] {
  const tags = html.replace(/<!--.*?-->/gs, '').match(/<[^<>]*>/g) ?? [];
  // The numbers of differing words and lines depend on the text.
  return tags.filter((tag) => !/^<\/?(?:del|ins|b|br|em|i)\b/.test(tag));
}

describe('foreign text in Markdown', () => {
  const hostile = fc
    .array(
      fc.oneof(
        { weight: 2, arbitrary: anyText({ maxLength: 6 }) },
        fc.constantFrom(
          ...['`', '``', '```', '~~~', '\n', '\n\n', '\n    ', '# ', '- ', '+ ', '1. ', '> ', '* ', '***'],
          ...['| a | b |\n|---|---|\n', '**', '__', '~~', '$x$', '\t', '===', '---', '[ ]', '[^1]'],
          ...['<b>', '</details>', '</pre>', '</summary>', '</code>', '<!--', '-->', '<script>'],
          ...['&lt;', '&amp;', '\\', '[a](https://example.com)', '![a](b)', '[a]: b'],
          ...['<https://example.com>', 'https://example.com', 'www.example.com', 'me@example.com'],
          ...['@someone', '#12', ':smile:'],
        ),
      ),
      { maxLength: 5 },
    )
    .map((parts) => parts.join(''));

  it('does not end its fence', () => {
    const page = rendered(markdown(planOf([saying('a\n```\n</details>\n````\n**b**')])));
    expect(page).not.toContain('<strong>b</strong>');
    expect(page.split('<details').length).toBe(page.split('</details>').length);
  });

  it('stays text everywhere', () => {
    const plain = skeleton(rendered(markdown(planOf([saying('word')]))));
    fc.assert(
      fc.property(hostile, (text) => {
        fc.pre(text.trim() !== '');
        const tags = skeleton(rendered(markdown(planOf([saying(text)]))));
        // A text of several lines is shown as a block, which has other tags.
        if (text.length < 59 && !/[\r\n]/.test(text)) expect(tags).toEqual(plain);
        else expect(new Set(plain)).toEqual(new Set([...plain, ...tags]));
      }),
    );
  });

  it('notifies no user and links nowhere outside of code', () => {
    const text =
      'ask @someone or me@example.com, see #12, https://example.com, www.example.com __www.example.org _GH-12 :smile:';
    const shown = rendered(markdown(planOf([saying(text)])));
    const outside = shown.replace(/<(pre|code)\b.*?<\/\1>/gs, '').replace(/<!--.*?-->/g, '\u0000');
    expect(outside).not.toMatch(/<a\b|@\w|#\d|:smile:|:\/\/|www\.|GH-\d/);
    expect(outside).toMatch(/@\u0000someone/);
  });

  it('can be read unchanged', () => {
    const text = 'a <b> & `c` *d* _e_ f_g [h](i) | j ~~k~~ $l 1. m - n';
    const shown = rendered(markdown(planOf([saying(text)]))).replace(/<!--.*?-->/g, '');
    const words = shown
      .replace(/<[^<>]*>/g, '')
      .replace(/&lt;/g, '<')
      .replace(/&gt;/g, '>')
      .replace(/&quot;/g, '"')
      .replace(/&amp;/g, '&');
    expect(words.split(text).length).toBeGreaterThan(15);
  });
});

describe('the size of a comment', () => {
  const long = (name: string, cap = 300, isLaunched = true) =>
    campaignPlan(name, {
      changes: [
        altered('settings', 'max_emails_per_day', [200, cap]),
        added('sequence', '', {
          title: 'Spring',
          steps: [{ ...email, email_body: `Hi there ${cap}\n`.repeat(80), variants: [] }],
        }),
      ],
      steps: [
        step('sequence', { irreversible: true }),
        ...(isLaunched ? [step('status', { id: 'launch' })] : []),
      ],
      problems: isLaunched ? [launch] : [],
    });
  /** All different, or all equal. */
  const many = (count: number, local = true, isLaunched = false) =>
    planOf(
      Array.from({ length: count }, (_, at) =>
        long(`Campaign ${at + 1}`, local ? 300 + at : 300, isLaunched),
      ),
    );

  it('is limited by omitting bodies, then changes, then campaigns, for all campaigns', () => {
    const shown = (plan: Plan, limit = 60_000) => {
      const text = markdown(plan, limit);
      expect(text.length).toBeLessThanOrEqual(limit);
      return {
        rows: text.match(/^\| `Campaign \d+` \|/gm)?.length ?? 0,
        folds: text.match(/<details><summary><b><code>/g)?.length ?? 0,
        // The commands are in fences as well.
        bodies: ((text.match(/^```$/gm)?.length ?? 0) - (text.match(/^```sh$/gm)?.length ?? 0)) / 2,
        note: /too long to show here:\*\* ([^.]*)\./i.exec(text)?.[1] ?? null,
      };
    };
    expect(shown(many(40))).toEqual({ rows: 40, folds: 40, bodies: 40, note: null });
    expect(shown(many(110))).toEqual({ rows: 110, folds: 110, bodies: 0, note: 'the bodies of new emails' });
    const lines = { rows: 400, folds: 0, bodies: 0, note: 'everything except one line for each campaign' };
    expect(shown(many(400))).toEqual(lines);
    expect(shown(many(1_000))).toEqual({ rows: 0, folds: 0, bodies: 0, note: 'the campaigns' });
    expect(shown(many(110), 2_000)).toMatchObject({ rows: 0, note: 'the campaigns' });
  });

  it('is small if 300 campaigns have the same change, and names each of them', () => {
    const text = markdown(many(300, false, true));
    expect(text.length).toBeLessThan(9_000);
    expect(text).toMatch(/^<details open><summary><b>300 × the same change<\/b>/m);
    for (let at = 1; at <= 300; at += 1) expect(text).toContain(`\`Campaign ${at}\``);
    expect(text).not.toMatch(/too long/i);
  });

  it('shows the leads of each of many campaigns with the same change', () => {
    const plan = many(24, false);
    plan.campaigns.forEach((campaign, at) => {
      const change = added('leads', 'lists', [at === 9 ? 77 : 8]);
      if (at > 8) campaign.changes = [...campaign.changes, change];
    });
    expect(markdown(plan)).toMatch(
      /- `Campaign 1`, .*`Campaign 9`\n- `Campaign 10`: .* 77\n- `Campaign 11`, .*`Campaign 24`: .* 8\n/,
    );
  });

  it('collapses the table from sixteen rows on', () => {
    expect(markdown(many(15))).toMatch(/^\| Campaign \|/m);
    expect(markdown(many(15))).not.toContain('<summary>15 ');
    expect(markdown(many(16))).toContain('<summary>16 ');
  });

  it('is kept for any plan, with every block closed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constant(long('Campaign')), fc.string({ maxLength: 3_000 }).map(saying)), {
          maxLength: 12,
        }),
        fc.integer({ min: 2_000, max: 20_000 }),
        (campaigns, limit) => {
          const text = markdown(planOf(campaigns), limit);
          expect(text.length).toBeLessThanOrEqual(limit);
          const html = rendered(text);
          for (const tag of ['details', 'summary', 'pre', 'sub']) {
            expect(html.split(`<${tag}`).length, tag).toBe(html.split(`</${tag}>`).length);
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});
