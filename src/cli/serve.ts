import { randomBytes } from 'node:crypto';
import { type FSWatcher, watch } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import type { PageScript } from '../view/html-page.js';

/** A page that is served on loopback, and made anew for each request. `reload` makes every open one load again. */
export interface PageServer {
  url: string;
  reload(): void;
  close(): Promise<void>;
}

/** Loads the page again when told to; what was unfolded, folded and chosen stays so. */
const SOURCE = `
const key = 'campaignctl';
const folds = () => [...document.querySelectorAll('details')];
const choice = () => document.querySelector('input[name=lead]:checked')?.id;
addEventListener('pagehide', () => sessionStorage.setItem(key, JSON.stringify({ open: folds().map((fold) => fold.open), choice: choice() })));
const kept = JSON.parse(sessionStorage.getItem(key) ?? 'null');
if (kept) folds().forEach((fold, at) => { fold.open = kept.open[at] ?? fold.open; });
const chosen = kept?.choice ? document.getElementById(kept.choice) : null;
if (chosen) chosen.checked = true;
new EventSource('/changes').addEventListener('message', () => location.reload());
`;

/**
 * Serves what `render` makes, to this machine only. A host name of another server that points here is refused: a page of
 * theirs could read ours otherwise. Throws what listening throws, such as a port that is taken.
 */
export async function servePage(
  port: number,
  render: (script: PageScript) => Promise<string>,
): Promise<PageServer> {
  const waiting = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => say(response, 500, `${error}\n`));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    if (!isOurs(request, portOf(server.address())))
      return say(response, 403, 'This page is for this machine only.\n');
    if (method !== 'GET') return say(response, 405, 'This page can only be read.\n');
    if (url === '/changes') return wait(request, response);
    if (url !== '/') return say(response, 404, 'There is only one page: /\n');
    const page = await render({ nonce: randomBytes(16).toString('base64'), source: SOURCE });
    response.writeHead(200, { ...HEADERS, 'content-type': 'text/html; charset=utf-8' });
    response.end(page);
  }

  /** Keeps the answer open: each message in it is a change. */
  function wait(request: IncomingMessage, response: ServerResponse): void {
    response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' });
    response.write('retry: 1000\n\n');
    waiting.add(response);
    request.on('close', () => waiting.delete(response));
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${portOf(server.address())}/`,
    reload: () => {
      for (const response of waiting) response.write('data: changed\n\n');
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' });
  response.end(text);
}

function isOurs({ headers }: IncomingMessage, port: number): boolean {
  return [`127.0.0.1:${port}`, `localhost:${port}`].includes(headers.host ?? '');
}

function portOf(address: string | AddressInfo | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Milliseconds in which a save is one change, however many writes it takes. */
const AT_ONCE = 80;

/** Watches the folders of some files; `follow` says which files matter from now on. */
export interface FileWatch {
  follow(files: readonly string[]): void;
  close(): void;
}

/** Calls `changed` after something in a folder of these files was written. Folders, since editors replace files. */
export function watchFiles(changed: () => void): FileWatch {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | null = null;
  const soon = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(changed, AT_ONCE);
  };
  const open = (folder: string): void => {
    try {
      watchers.set(
        folder,
        watch(folder, soon).on('error', () => forget(folder)),
      );
    } catch {
      // A folder that has gone: the next look at the project says so.
    }
  };
  const forget = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  return {
    follow(files) {
      const folders = new Set(files.map((file) => dirname(file)));
      for (const folder of watchers.keys()) if (!folders.has(folder)) forget(folder);
      for (const folder of folders) if (!watchers.has(folder)) open(folder);
    },
    close() {
      if (timer !== null) clearTimeout(timer);
      for (const folder of [...watchers.keys()]) forget(folder);
    },
  };
}
