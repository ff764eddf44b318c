import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { withFolder } from './folder.js';
import { listenOn } from './listen.js';

/** `null` if no browser is installed; tests that need one are then skipped. */
export const CHROMIUM =
  ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync) ?? null;

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM ?? '', args: FLAGS });
}

interface PageOptions {
  html: string;
  permissions?: string[];
  viewport?: { width: number; height: number };
}

/** Opens a page from a file, like a downloaded page. All pages of a browser share one tab, because a new tab is slow. */
export async function withPage(
  browser: Browser,
  { html, permissions = [], viewport = { width: 1280, height: 720 } }: PageOptions,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  const context = browser.contexts()[0] ?? (await browser.newContext());
  const page = context.pages()[0] ?? (await context.newPage());
  await context.grantPermissions(permissions);
  await page.emulateMedia({ media: null, colorScheme: null });
  await page.setViewportSize(viewport);
  await withFolder(async (folder) => {
    const file = join(folder, 'page.html');
    await writeFile(file, html);
    await page.goto(pathToFileURL(file).href);
    await use(page);
  });
  page.removeAllListeners();
  await context.clearPermissions();
}

/** A loopback server that records requests, and also connections, because some carry no request. */
export async function startTrap(): Promise<{ url: string; seen: string[]; close(): Promise<void> }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.end();
  });
  server.on('connection', () => seen.push('connection'));
  return { ...(await listenOn(server)), seen };
}
