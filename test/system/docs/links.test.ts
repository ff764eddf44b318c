import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { anchorsOf, linksOf } from './page.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const pages = ['.', 'docs', 'docs/decisions', 'examples', 'examples/ci'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => posix.join(folder, file)),
);

function read(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

/** The links that lead nowhere, by what is there. */
function lostLinks(from: readonly string[], isThere: (path: string) => boolean): string[] {
  return from.flatMap((page) => {
    const lost = linksOf(read(page)).filter((target) => {
      const [file = '', fragment] = target.split('#');
      const path = file === '' ? page : posix.join(posix.dirname(page), file);
      return !isThere(path) || (fragment !== undefined && !anchorsOf(read(path)).includes(fragment));
    });
    return lost.map((target) => `${page}: ${target}`);
  });
}

test('every link between the pages leads somewhere', () => {
  expect(pages.flatMap((page) => linksOf(read(page))).length).toBeGreaterThan(60);
  expect(lostLinks(pages, (path) => existsSync(join(ROOT, path)))).toEqual([]);
});

test('every link of every page in the package leads to a file in the package', () => {
  const words = ['pack', '--dry-run', '--ignore-scripts', '--json'];
  const packed = execFileSync('npm', words, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ files }] = JSON.parse(packed) as [{ files: { path: string }[] }];
  const paths = files.map(({ path }) => path);
  const inside = paths.filter((path) => path.endsWith('.md'));
  expect(inside.toSorted()).toEqual(pages.toSorted());
  const isThere = (path: string) =>
    paths.some((one) => one === path || one.startsWith(`${path.replace(/\/$/, '')}/`));
  expect(lostLinks(inside, isThere)).toEqual([]);
});

test('every file and folder of this repository that a page names is there', () => {
  const folders = readdirSync(ROOT).concat(readdirSync(join(ROOT, 'src')));
  const isOurs = (path: string) => folders.includes(path.split('/')[0] ?? '') || /\.[jt]s$/.test(path);
  // In capitals: a word that stands for any name.
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/`([\w-]+(?:\/[\w.-]+)+)`/g)].flatMap(([, path = '']) =>
      isOurs(path) && !/[A-Z]{3}/.test(path) ? [{ page, path }] : [],
    ),
  );
  const lost = named.filter(({ path }) =>
    [path, `src/${path}`].every((place) => !existsSync(join(ROOT, place))),
  );
  expect(named.length).toBeGreaterThan(15);
  expect(lost).toEqual([]);
});

test('each picture is small, and there for light and dark', () => {
  const pictures = readdirSync(join(ROOT, 'docs/pictures'));
  expect(pictures.toSorted()).toEqual(
    ['comment', 'page', 'plan'].flatMap((name) =>
      ['dark', 'light'].map((theme) => `${name}-${theme}.${name === 'plan' ? 'svg' : 'webp'}`),
    ),
  );
  expect(pictures.filter((file) => statSync(join(ROOT, 'docs/pictures', file)).size > 100_000)).toEqual([]);
  expect(pictures.filter((file) => !read('README.md').includes(`docs/pictures/${file}`))).toEqual([]);
});
