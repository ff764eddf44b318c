import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const pages = ['.', 'docs', 'docs/decisions', 'examples', 'examples/ci'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(folder, file)),
);

/** The anchor of a heading, as code hosts make it. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

function read(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

test('every link between the pages leads somewhere', () => {
  const links = pages.flatMap((page) =>
    [...read(page).matchAll(/(?:\]\(|\bsrc(?:set)?=")([^)"\s]+)[)"]/g)].map(([, target = '']) => ({
      page,
      target,
    })),
  );
  const lost = links.filter(({ page, target }) => {
    if (/^https?:/.test(target)) return false;
    const [file = '', fragment] = target.split('#');
    const path = file === '' ? page : join(dirname(page), file);
    if (!existsSync(join(ROOT, path))) return true;
    if (fragment === undefined) return false;
    const headings = [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchor(heading));
    return !headings.includes(fragment);
  });
  expect(links.length).toBeGreaterThan(15);
  expect(lost).toEqual([]);
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
