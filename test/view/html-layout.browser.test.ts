import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { previewedCampaign } from '../../src/model/preview.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { renderPlanHtml } from '../../src/view/plan-html.js';
import { renderPreviewHtml } from '../../src/view/preview-html.js';
import { CHROMIUM, openBrowser, withPage } from '../support/browser.js';
import {
  faint,
  focused,
  heightOfPage,
  outline,
  overflowing,
  overlapping,
  unfoldAll,
} from '../support/page-audit.js';
import { planOf } from '../support/plans.js';
import {
  byHandPlan,
  CREATED,
  campaign,
  change,
  email,
  LAUNCH,
  LAUNCHED,
  mixedPlan,
  step,
  VARIANT,
} from './plans.js';

/** Pages in a browser: on a phone and on a desktop, in dark mode, printed, with the keyboard and with a screen reader. */

const WORD = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.repeat(3);

const MANIFEST = `campaigns/${WORD}.yaml`;
const SPEC: CampaignSpec = {
  name: WORD,
  settings: { can_unsubscribe: true, unsubscribe_text: WORD },
  schedule: {
    days: ['monday', 'friday'],
    start_time: '00:00',
    end_time: '23:59',
    timezone: 'Europe/London',
  },
  sequence: {
    title: WORD,
    steps: [
      { ...email(), variants: [VARIANT, VARIANT] },
      {
        ...email({
          thread_reply: true,
          email_subject: `{${WORD.toUpperCase().slice(0, 60)}}`,
          email_body: `<table width="2000"><tr><td>${WORD}</td></tr></table>`,
        }),
      },
    ],
  },
};

const PREVIEW = renderPreviewHtml({
  environment: 'production',
  leads: null,
  live: null,
  served: null,
  campaigns: [previewedCampaign({ manifest: MANIFEST, file: MANIFEST, document: 0, spec: SPEC })],
});

const PAGES: [name: string, html: string][] = [
  [
    'plan',
    renderPlanHtml({
      ...mixedPlan(),
      environment: WORD,
      campaigns: [...mixedPlan().campaigns, { ...CREATED, name: WORD, manifest: WORD }],
    }),
  ],
  [
    'list of what is to be done by hand',
    renderPlanHtml({ ...byHandPlan(WORD), campaigns: mixedPlan().campaigns }),
  ],
  ['preview', PREVIEW],
];

/** Campaigns that all differ. */
function unlike(number: number) {
  return Array.from({ length: number }, (_, at) => ({
    ...LAUNCHED,
    name: `Campaign ${at}`,
    changes: [...LAUNCHED.changes, change({ path: 'max_emails_per_day', from: 100, to: 200 + at })],
  }));
}

const BROKEN_FLAGS = `[...document.querySelectorAll('.next pre')].flatMap((pre) => {
  const nodes = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = nodes.nextNode(); node !== null; node = nodes.nextNode())
    for (const { index, 0: flag } of node.textContent.matchAll(/--[a-z]+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + flag.length);
      if (range.getClientRects().length > 1) found.push(flag);
    }
  return found;
})`;

const LINES_OF_DATES = `[...document.querySelectorAll('td[data-head=First]')].map((cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return range.getClientRects().length;
})`;

describe.skipIf(CHROMIUM === null)('in a real browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('buttons copy the exact text without a network, even if pages may not use the clipboard', async () => {
    const text = '<p>Hello "you" & me,</p>\n\t<p>caf\u00e9 \u{1f600}\u00a0{FIRST_NAME}?</p>\n';
    const permissions = ['clipboard-read', 'clipboard-write'];
    await withPage(browser, { html: renderPlanHtml(byHandPlan(text)), permissions }, async (page) => {
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      const refuse = 'navigator.clipboard.writeText = () => Promise.reject(new Error("no"))';
      for (const before of ['', refuse]) {
        await page.evaluate(`navigator.clipboard.writeText('').then(() => { ${before} })`);
        await page.evaluate(`document.querySelectorAll('button.copy')[1].textContent = 'Copy'`);
        await page.getByRole('button', { name: 'Copy' }).nth(1).click();
        await page.getByText('Copied').waitFor();
        expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`<p>Hello</p>\n${text}\n`);
      }
      expect(asked).toEqual([]);
    });
  });

  it('a reviewer ticks what is approved, and copies the decision and the command', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const [first, second] = unlike(2).map((item) => ({ ...item, name: `${item.name} "$HOME"` }));
    const plan = planOf([first, second].flatMap((item) => item ?? []));
    await withPage(browser, { html: renderPlanHtml(plan), permissions }, async (page) => {
      const copied = async (name: string) => {
        await page.getByRole('button', { name }).click();
        return page.evaluate('navigator.clipboard.readText()');
      };
      await page.getByLabel('launch of Campaign 0').check();
      expect(await copied('Copy my decision')).toBe(
        'Plan for production (plan 000000000000)\nApproved:\n- launch of Campaign 0 "$HOME"\nNot approved:\n- launch of Campaign 1 "$HOME"',
      );
      expect(await copied('Copy the command')).toBe(
        `campaignctl apply --env production --allow launch='Campaign 0 "$HOME"' --hold launch='Campaign 1 "$HOME"'`,
      );
    });
  });

  it('all launches are held by one flag, but approved by name', async () => {
    await withPage(browser, { html: renderPlanHtml(planOf(unlike(5))) }, async (page) => {
      const command = () => page.locator('fieldset.decision pre').textContent();
      expect(await command()).toBe('campaignctl apply --env production --hold launch');
      await page.getByRole('button', { name: 'Tick all' }).click();
      expect(await command()).toMatch(/production( --allow launch="Campaign \d"){5}$/);
      await page.getByLabel('launch of Campaign 4').uncheck();
      expect(await command()).toMatch(/(--allow launch="Campaign \d" ){4}--hold launch="Campaign 4"$/);
    });
  });

  it('what is not ticked is said to stop apply only if that is certain', async () => {
    const [first, second] = unlike(2);
    const shared = { ...LAUNCH, code: 'shared-leads' as const };
    const plan = planOf([{ ...(first ?? LAUNCHED), problems: [LAUNCH, shared] }, second ?? LAUNCHED]);
    await withPage(browser, { html: renderPlanHtml(plan) }, async (page) => {
      const said = () => page.locator('fieldset.decision .said').textContent();
      const refused = 'apply is refused as a whole until this is ticked or resolved: shared-leads as a whole';
      expect(await said()).toContain(`Unless the held launches resolve it, ${refused}, now for Campaign 0.`);
      await page.getByLabel('launch of Campaign 0').check();
      await page.getByLabel('launch of Campaign 1').check();
      expect(await said()).toContain(`. A${refused.slice(1)}`);
      await page.getByLabel('shared-leads as a whole').check();
      expect(await said()).toBe('Approves everything.');
    });
    const refusal = { ...LAUNCH, code: 'not-promoted' as const, severity: 'error' as const };
    const html = renderPlanHtml(planOf([{ ...LAUNCHED, problems: [LAUNCH, refusal] }]));
    await withPage(browser, { html }, async (page) => {
      expect(await page.locator('fieldset.decision .said').textContent()).toContain(
        'Apply refuses this plan, whatever is ticked.',
      );
    });
  });

  it.each([300, 330, 360, 390, 420, 450])('no line of %i pixels ends inside a flag', async (width) => {
    const plan = planOf(unlike(5));
    await withPage(
      browser,
      { html: renderPlanHtml(plan), viewport: { width, height: 800 } },
      async (page) => {
        await page.evaluate('document.querySelectorAll("details").forEach((each) => { each.open = true; })');
        const broken = await page.evaluate(BROKEN_FLAGS);
        expect(broken).toEqual([]);
      },
    );
  });

  it('dates of launches stay on one line, and their rules separate campaigns', async () => {
    const html = renderPlanHtml(planOf(unlike(3)));
    await withPage(browser, { html }, async (page) => {
      const lines = await page.evaluate(LINES_OF_DATES);
      expect(lines).toEqual([1]);
      expect(await page.getByText('Scroll sideways').isVisible()).toBe(false);
    });
    await withPage(browser, { html, viewport: { width: 390, height: 800 } }, async (page) => {
      const rule = (part: string) =>
        page.evaluate(`getComputedStyle(document.querySelector('table.wide ${part}')).borderBottomWidth`);
      expect([await rule('tbody tr'), await rule('tbody th')]).toEqual(['1px', '0px']);
      expect(await page.getByText('Scroll sideways').isVisible()).toBe(true);
    });
  });

  it('keys reach the search and the campaigns', async () => {
    await withPage(browser, { html: renderPlanHtml(planOf(unlike(12))) }, async (page) => {
      const at = () => page.evaluate('document.activeElement.textContent');
      await page.keyboard.press('j');
      expect(await at()).toContain('Campaign 0');
      await page.keyboard.press('j');
      expect(await at()).toContain('Campaign 1');
      await page.keyboard.press('k');
      expect(await at()).toContain('Campaign 0');
      await page.keyboard.press('/');
      await page.keyboard.type('Campaign 7');
      expect(await page.locator('details.campaign:visible').count()).toBe(1);
    });
  });

  it.each(PAGES)(
    'a %s works with screen readers, does not overflow, and has enough contrast in both colour schemes',
    async (_name, html) => {
      await withPage(browser, { html }, async (page) => {
        const { language, landmarks, levels, titles, ids, broken } = await page.evaluate(outline);
        expect({ language, landmarks, broken, first: levels[0] }).toEqual({
          ...{ language: 'en', landmarks: 3, broken: [], first: 1 },
        });
        for (const [at, level] of levels.entries())
          expect(level - (levels[at - 1] ?? 0), `heading ${at}`).toBeLessThanOrEqual(1);
        expect(titles.length).toBeGreaterThan(0);
        expect(titles).not.toContain('');
        expect(new Set(ids).size).toBe(ids.length);
        await page.keyboard.press('Tab');
        expect(await page.evaluate(focused)).toEqual({ textContent: 'Skip to the campaigns', isSeen: true });

        await page.evaluate(unfoldAll);
        for (const colorScheme of ['dark', 'light'] as const) {
          await page.emulateMedia({ colorScheme });
          expect(await page.evaluate(faint), colorScheme).toEqual([]);
        }
        for (const width of [320, 768, 1440]) {
          await page.setViewportSize({ width, height: 900 });
          expect(await page.evaluate(overflowing), `at ${width}`).toEqual([]);
          expect(await page.evaluate(overlapping), `at ${width}`).toEqual([]);
        }
        await page.emulateMedia({ media: 'print' });
        await page.setViewportSize({ width: 700, height: 1000 });
        expect(await page.evaluate(overflowing), 'on paper').toEqual([]);
      });
    },
  );

  it('a link expands its campaign, and the search finds campaigns by name and by change', async () => {
    const blocked = campaign({
      ...{ name: 'Blocked', action: 'blocked', steps: [step({})] },
      changes: [change({ path: 'max_emails_per_day', from: 300, to: 200 })],
      problems: [{ code: 'cannot-detach', severity: 'blocked', message: 'No.', hint: '' }],
    });
    await withPage(browser, { html: renderPlanHtml(planOf([...unlike(50), blocked])) }, async (page) => {
      const link = page.locator('.notice').getByRole('link', { name: 'Blocked' });
      const target = page.locator((await link.getAttribute('href')) ?? '');
      expect(await target.isVisible()).toBe(false);
      await link.click();
      expect(await target.isVisible()).toBe(true);
      const names = () => page.locator('details.campaign:visible').locator('h3').allTextContents();
      await page.getByRole('searchbox').fill('campaign 17');
      expect(await names()).toEqual(['~ Campaign 17: change, launch, needs approval']);
      expect(await page.getByRole('status').textContent()).toBe('1 found');
      await page.getByRole('searchbox').fill('');
      await page.getByRole('button', { name: 'blocked' }).click();
      expect(await names()).toEqual([expect.stringMatching(/^✗ Blocked: blocked, .* 1 request$/)]);
      await page.getByRole('button', { name: 'blocked' }).click();
      expect(await page.locator('details.campaign:not([hidden])').count()).toBe(51);
    });
  });

  it('shows 300 campaigns on a few screens, no paused or launched one in a closed folder, and a change of one number on one', async () => {
    const stopped = campaign({ name: 'Stopped', steps: [step({ id: 'pause', section: 'status' })] });
    const changed = unlike(294).map((item) => ({ ...item, steps: [step({})], problems: [], impact: null }));
    const plan = planOf([...unlike(5), ...changed, stopped]);
    const cap = campaign({
      changes: [change({ path: 'max_emails_per_day', from: 300, to: 200 })],
      steps: [step({})],
    });
    const [desk, phone] = [
      { width: 1280, height: 900 },
      { width: 390, height: 844 },
    ];
    await withPage(browser, { html: renderPlanHtml(plan), viewport: desk }, async (page) => {
      expect(await page.locator('details.campaign:visible').count()).toBe(6);
      expect((await page.evaluate(heightOfPage)) / desk.height).toBeLessThan(3.5);
      await page.setViewportSize(phone);
      expect((await page.evaluate(heightOfPage)) / phone.height).toBeLessThan(5.5);
    });
    await withPage(browser, { html: renderPlanHtml(planOf([cap])), viewport: desk }, async (page) => {
      expect((await page.evaluate(heightOfPage)) / desk.height).toBeLessThan(1.2);
    });
  });

  it('shows the emails of one lead, or of all side by side', async () => {
    await withPage(browser, { html: PREVIEW }, async (page) => {
      const visible = () => page.locator('.as:visible').count();
      const emails = await page.locator('article.email').count();
      expect(await visible()).toBe(emails);
      await page.getByLabel('All of them').check();
      expect(await visible()).toBe(emails * 3);
      await page.keyboard.press('ArrowUp');
      expect(await visible()).toBe(emails);
      expect(await page.locator('.as-2:visible').count()).toBe(emails);
    });
  });
});
