import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { previewedCampaign } from '../../src/model/preview.js';
import { renderPlanHtml } from '../../src/view/plan-html.js';
import { renderPreviewHtml } from '../../src/view/preview-html.js';
import { CHROMIUM, openBrowser, startTrap, withPage } from '../support/browser.js';
import { nameOfWindow, unfoldAll } from '../support/page-audit.js';
import { planOf } from '../support/plans.js';
import { hostileMails } from './hostile.js';
import { campaign, campaignContent, change, email, SETTINGS } from './plans.js';

/** Whatever an email contains, the page that shows it runs nothing and sends no request. */

/** A plan in which every text is hostile: subjects, bodies on both sides, names, titles, settings and problems. */
function hostilePlan(mails: readonly string[]) {
  return planOf(
    mails.map((text, index) =>
      campaign({
        name: text,
        manifest: text,
        changes: [
          change({ path: 'unsubscribe_text', from: text, to: `${text}!` }),
          change({ section: 'sequence', path: 'steps[0].email_body', from: `before ${text}`, to: text }),
          change({ section: 'sequence', path: 'steps[0].email_subject', from: `${text} before`, to: text }),
        ],
        problems: [{ code: 'launch', severity: 'blocked', message: text, hint: text }],
        content: {
          before: campaignContent({ settings: { ...SETTINGS, unsubscribe_text: text } }),
          after: campaignContent({
            settings: { ...SETTINGS, unsubscribe_text: `${text}!`, plain_text: index % 2 === 1 },
            sequence: {
              title: text,
              steps: [
                {
                  ...email({ email_subject: text, email_body: text }),
                  variants: [email({ email_body: text })],
                },
              ],
            },
          }),
        },
      }),
    ),
  );
}

function hostilePreview(mails: readonly string[]): string {
  const campaigns = mails.map((text, index) => ({
    manifest: text,
    file: text,
    document: 0,
    remarks: [],
    spec: {
      name: text,
      settings: { plain_text: index % 2 === 1, can_unsubscribe: true, unsubscribe_text: text },
      sequence: {
        title: text,
        steps: [{ ...email({ email_subject: text, email_body: `{FIRST_NAME}${text}` }) }],
      },
    },
  }));
  return renderPreviewHtml({
    environment: 'test',
    leads: null,
    live: null,
    served: null,
    campaigns: campaigns.map(previewedCampaign),
  });
}

describe.skipIf(CHROMIUM === null)('in a real browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it.each([
    ['plan', (mails: readonly string[]) => renderPlanHtml(hostilePlan(mails))],
    ['preview', (mails: readonly string[]) => hostilePreview(mails)],
  ])('a %s with hostile emails runs nothing and sends no request', async (name, render) => {
    const trap = await startTrap();
    try {
      const html = render(Object.values(hostileMails(trap.url)));
      await withPage(browser, { html }, async (page) => {
        await unfold(page);
        expect(await page.evaluate(nameOfWindow)).toBe('');
        const outside = 'script, form, object, embed, base, img, link';
        const ours = name === 'plan' ? 1 : 0;
        expect(await page.locator(outside).count()).toBe(ours);
      });
      expect(trap.seen).toEqual([]);
    } finally {
      await trap.close();
    }
  });

  it('would load images without the policy', async () => {
    const trap = await startTrap();
    try {
      const image = [`<img src="${trap.url}/pixel.png">`];
      const html = renderPlanHtml(hostilePlan(image))
        .replaceAll("default-src 'none'", '')
        .replaceAll('default-src &#39;none&#39;', '')
        .replaceAll('img-src data:', '');
      await withPage(browser, { html }, unfold);
      expect(trap.seen).toContain('GET /pixel.png');
    } finally {
      await trap.close();
    }
  });

  it.each([
    ['', [] as string[]],
    // A browser may open a connection before it applies the policy.
    ['pointer-events:auto !important', ['connection']],
  ])('a click on a link with the style "%s" leads nowhere', async (style, allowed) => {
    const trap = await startTrap();
    try {
      const body = `<a id="link" href="${trap.url}/clicked" style="${style}">x</a>`;
      const steps = [{ ...email({ email_body: body }), variants: [] }];
      const content = { before: null, after: campaignContent({ sequence: { title: null, steps } }) };
      const added = [change({ section: 'sequence', kind: 'add', to: { title: null, steps } })];
      const html = renderPlanHtml(planOf([campaign({ content, changes: added })]));
      await withPage(browser, { html }, async (page) => {
        const box = await page.frameLocator('iframe').first().locator('#link').boundingBox();
        await page.mouse.click((box?.x ?? 0) + 3, (box?.y ?? 0) + 8);
        await pause(300);
        expect(page.context().pages()).toHaveLength(1);
      });
      expect(trap.seen.filter((word) => !allowed.includes(word))).toEqual([]);
    } finally {
      await trap.close();
    }
  });
});

/** Expands everything, loads all frames, and gives their content time to act. */
async function unfold(page: Page): Promise<void> {
  const frames = await page.evaluate(unfoldAll);
  expect(frames).toBeGreaterThan(0);
  await expect.poll(() => page.frames().length, { timeout: 20_000 }).toBeGreaterThanOrEqual(frames);
  await pause(800);
}
