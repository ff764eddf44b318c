import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');

export const linkedPages = [
  '.',
  'docs',
  'docs/decisions',
  'examples',
  'examples/assistant',
  'examples/ci',
].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => posix.join(folder, file)),
);

/** Links that lead nowhere. */
export function lostLinks(from: readonly string[], isThere: (path: string) => boolean): string[] {
  return from.flatMap((page) => {
    const lost = linksOf(read(page)).filter((target) => {
      const [file = '', fragment] = target.split('#');
      const path = file === '' ? page : posix.join(posix.dirname(page), file);
      return !isThere(path) || (fragment !== undefined && !anchorsOf(read(path)).includes(fragment));
    });
    return lost.map((target) => `${page}: ${target}`);
  });
}

/** The targets of links and pictures, except for those on other sites. */
export function linksOf(page: string): string[] {
  const links = [...page.matchAll(/(?:\]\(|\bsrc(?:set)?=")([^)"\s]+)[)"]/g)].map(
    ([, target = '']) => target,
  );
  return links.filter((target) => !/^https?:/.test(target));
}

/** The anchors of headings, as code hosts create them. */
function anchorsOf(page: string): string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}
