import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, openBrowser, startTrap } from '../support/browser.js';
import { writeFiles } from '../support/command.js';
import { nameOfWindow, overflowing, unfoldAll } from '../support/page-audit.js';
import { FILES, PROJECT, serving } from '../support/serving.js';
import { hostileMails } from '../view/hostile.js';

describe.skipIf(CHROMIUM === null)('a preview in a real browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  /** Opens the served page, and fails if it asks anything of another origin or reports an error. */
  async function browsing(
    line: string,
    use: (page: Page, at: { url: string; folder: string }) => Promise<void>,
    files: Record<string, string> = FILES,
  ): Promise<void> {
    await serving(
      line,
      async (url, folder) => {
        const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
        const page = await context.newPage();
        const outside: string[] = [];
        // A request that the policy blocks is announced, too, but it fails before it leaves the browser.
        page.on('requestfinished', (asked) => {
          if (!asked.url().startsWith(url) && asked.url() !== 'about:srcdoc') outside.push(asked.url());
        });
        page.on('pageerror', (error) => outside.push(error.message));
        try {
          await page.goto(url);
          await use(page, { url, folder });
          expect(outside).toEqual([]);
        } finally {
          await context.close();
        }
      },
      { files },
    );
  }

  const isIn = (page: Page, text: string) => page.getByText(text).first().waitFor({ timeout: 5_000 });

  it('shows a change of a manifest, a body, a shared piece and the list of manifests', async () => {
    await browsing('', async (page, { folder }) => {
      await page.evaluate('window.name = "not reloaded"');
      await writeFiles(folder, { 'campaigns/winter.yaml': 'name: Deep winter\n' });
      await isIn(page, 'Deep winter');
      await writeFiles(folder, { 'emails/first.html': '<p>Quite another body</p>' });
      await isIn(page, 'Quite another body');
      await writeFiles(folder, {
        'shared/autumn.yaml': FILES['shared/autumn.yaml'].replace('is near', 'has come'),
      });
      await isIn(page, 'Autumn has come');
      await writeFiles(folder, { 'campaigns/fair.yaml': 'name: Fair invitation\n' });
      await isIn(page, 'Fair invitation');
      await rm(join(folder, 'campaigns/fair.yaml'));
      await page.getByText('Fair invitation').first().waitFor({ state: 'detached' });
      expect(await page.evaluate(nameOfWindow)).toBe('not reloaded');
    });
  });

  it('keeps the place, the folds and the chosen lead', async () => {
    await browsing('', async (page, { folder }) => {
      await page.locator('summary', { hasText: 'Autumn' }).click();
      await page.getByRole('radio', { name: 'A lead with long values' }).check();
      const second = page.locator('#campaign-2-2-0');
      await second.evaluate('(element) => element.scrollIntoView({ behavior: "instant" })');
      const topOf = () => second.evaluate('(element) => Math.round(element.getBoundingClientRect().top)');
      const before = await topOf();
      await writeFiles(folder, {
        'emails/first.html': '<p>Short</p>',
        'campaigns/winter.yaml': 'name: Deep winter\n',
      });
      await page.getByRole('link', { name: 'Deep winter' }).waitFor();
      expect(await topOf()).toBe(before);
      expect(await page.locator('details.campaign').first().getAttribute('open')).toBeNull();
      expect(await page.getByRole('radio', { name: 'A lead with long values' }).isChecked()).toBe(true);
    });
  });

  it('shows an error where the email would be, and then the email and the place again', async () => {
    await browsing('', async (page, { folder }) => {
      const second = page.locator('#campaign-2-2-0');
      await second.evaluate('(element) => element.scrollIntoView({ behavior: "instant" })');
      const scrolled = await page.evaluate('Math.round(scrollY)');
      const broken = FILES['campaigns/spring.yaml'].replace('wait_in_days: 4', 'wait_in_dayz: 4');
      await writeFiles(folder, { 'campaigns/spring.yaml': broken });
      const spring = page.locator('details.campaign', { hasText: 'Spring installers' });
      await spring.getByText('campaigns/spring.yaml:11:7').waitFor();
      expect(await spring.locator('pre.excerpt mark').allTextContents()).toContain('wait_in_dayz');
      expect(await second.count()).toBe(0);
      expect(await page.locator('details.campaign h3').allTextContents()).toEqual([
        'Autumn',
        'Spring installers',
        'Winter',
      ]);
      expect(await page.title()).toMatch(/^\d errors?\. Preview: sandbox$/);
      await writeFiles(folder, { 'campaigns/spring.yaml': 'name: [\n' });
      await spring
        .getByText(/campaigns\/spring\.yaml:\d+:\d+/)
        .first()
        .waitFor();
      await writeFiles(folder, { 'campaigns/spring.yaml': FILES['campaigns/spring.yaml'] });
      await second.waitFor();
      expect(await page.evaluate('Math.round(scrollY)')).toBe(scrolled);
      expect(await page.title()).toBe('Preview: sandbox');
    });
  });

  it('shows a lint error above its email, a missing body, and an invalid project file', async () => {
    await browsing('', async (page, { folder }) => {
      await writeFiles(folder, { 'emails/first.html': '<p>Hi {first_name}</p>' });
      await isIn(page, 'is not a variable and would be sent literally');
      expect(await page.locator('#campaign-2-1-0').count()).toBe(1);
      await rm(join(folder, 'emails/first.html'));
      await isIn(page, '[file-not-found]');
      await writeFiles(folder, { 'emails/first.html': '<p>Here again</p>' });
      await isIn(page, 'Here again');
      await writeFiles(folder, { 'campaignctl.yaml': 'version: 1\nmanifest: [x]\n' });
      await isIn(page, 'The project file campaignctl.yaml has');
      await isIn(page, 'Here again');
      await writeFiles(folder, { 'campaignctl.yaml': PROJECT });
      await page.locator('#failure').waitFor({ state: 'detached' });
    });
  });

  it('opens in several tabs, and says when it ended', async () => {
    let seen: Page | null = null;
    const context = await browser.newContext();
    await serving('', async (url, folder) => {
      const pages = await Promise.all(Array.from({ length: 8 }, () => context.newPage()));
      for (const page of pages) await page.goto(url);
      await writeFiles(folder, { 'campaigns/winter.yaml': 'name: Deep winter\n' });
      for (const page of pages) await page.getByRole('link', { name: 'Deep winter' }).waitFor();
      seen = pages[0] ?? null;
    });
    await (seen as Page | null)?.locator('#ended').waitFor();
    await context.close();
  });

  it('goes from lead to lead, stays at the same email, and sees changes of the leads', async () => {
    const csv = 'First name,Company\nAnna,Northlight\nBo,\nCleo,Harbour\n';
    const files = { ...FILES, 'leads.csv': csv };
    const use = async (page: Page, { folder }: { folder: string }) => {
      await isIn(page, 'Anna, a question');
      await page.getByRole('link', { name: 'next lead →', exact: true }).click();
      await isIn(page, 'Bo, a question');
      await isIn(page, 'no COMPANY');
      await page.locator('#row').fill('4');
      await page.locator('#row').press('Enter');
      await isIn(page, 'Cleo, a question');
      await page.getByRole('link', { name: 'next lead without a value' }).click();
      await isIn(page, 'Bo, a question');
      await writeFiles(folder, { 'leads.csv': csv.replace('Bo,', 'Bob,Quay') });
      await isIn(page, 'Bob, a question');
      await isIn(page, 'every lead has all values');
      await writeFiles(folder, { 'leads.csv': 'First name,Company\n"Anna' });
      await isIn(page, 'leads.csv, row 2, column 1: a double quote is never closed.');
    };
    await browsing('--leads leads.csv', use, files);
  });

  it('runs nothing of a hostile email and loads nothing', async () => {
    const trap = await startTrap();
    try {
      const mails = Object.values(hostileMails(trap.url));
      const steps = mails.map((email_body) => ({ email_subject: 'Hi', email_body, wait_in_days: 3 }));
      const manifest = JSON.stringify({ name: 'Hostile', sequence: { title: 'T', steps } });
      await browsing(
        '',
        async (page, { folder }) => {
          await page.evaluate(unfoldAll);
          await writeFiles(folder, { 'campaigns/winter.yaml': 'name: Deep winter\n' });
          await page.getByRole('link', { name: 'Deep winter' }).waitFor();
          await page.evaluate(unfoldAll);
          expect(await page.evaluate(nameOfWindow)).toBe('');
          await page.setViewportSize({ width: 390, height: 800 });
          expect(await page.evaluate(overflowing)).toEqual([]);
        },
        { ...FILES, 'campaigns/spring.yaml': manifest },
      );
      expect(trap.seen).toEqual([]);
    } finally {
      await trap.close();
    }
  });
});
