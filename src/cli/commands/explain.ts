import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { nearest } from '../../manifest/nearest.js';
import { EXIT, type ExitCode, usage } from '../../model/failure.js';
import { explanationLines } from '../../view/explanation.js';
import type { TextOptions } from '../../view/terminal.js';
import { wrap } from '../../view/words.js';
import type { Flags } from '../commands.js';
import type { Shell } from '../shell.js';

const PAGES = ['errors.md', 'messages.md', 'rules.md', 'approvals.md', 'policies.md'];

interface Chapter {
  code: string;
  page: string;
  text: string;
}

export async function run({ code }: Flags<'explain'>, shell: Shell): Promise<ExitCode> {
  const chapters = readChapters();
  const chapter = chapters.find((known) => known.code === code);
  if (chapter !== undefined) shell.out(renderChapter(chapter, chapters, shell));
  else if (code === null) shell.out(`${listed(chapters, shell.onOut)}\n`);
  else {
    const near = nearest(
      code,
      chapters.map((known) => known.code),
    );
    const hint = near === null ? 'To list the codes, run campaignctl explain.' : `Did you mean ${near}?`;
    throw usage(`There is no code "${code}".`, hint);
  }
  return EXIT.ok;
}

/** Collects the sections whose headings are codes, and the rows of the hazards table. */
export function readChapters(): Chapter[] {
  const docs = docsFolder(__dirname);
  return PAGES.flatMap((page) => {
    const text = readFileSync(join(docs, page), 'utf8');
    const sections = [...text.matchAll(/^(##+) ([a-z][a-z0-9/-]*)\n([\s\S]*?)(?=^##|(?![\s\S]))/gm)];
    const chapters = sections.map(([, , code = '', body = '']) => ({ code, page, text: body.trim() }));
    const [, intro = ''] = /^## What needs approval\n\n([\s\S]*?)\n\n\|/m.exec(text) ?? [];
    const rows = [...text.matchAll(/^\| `([a-z-]+)` \| (.+) \|$/gm)].filter(() => intro !== '');
    const hazards = rows.map(([, code = '', row = '']) => ({
      code,
      page,
      text: `**needs approval**: ${row}\n\n${intro}`,
    }));
    return [...chapters, ...hazards];
  });
}

function docsFolder(folder: string): string {
  const docs = join(folder, 'docs');
  if (existsSync(join(docs, 'errors.md'))) return docs;
  if (folder === dirname(folder)) throw usage('The pages in docs/ are missing.', 'Reinstall campaignctl.');
  return docsFolder(dirname(folder));
}

function listed(chapters: readonly Chapter[], { paint, width }: TextOptions): string {
  const pages = PAGES.map((page) => {
    const codes = chapters.filter((chapter) => chapter.page === page).map(({ code }) => code);
    const lines = wrap(codes.join(' '), width - 2).map((line) => `  ${line}`);
    return [paint('bold', `docs/${page}`), ...lines].join('\n');
  });
  return pages.join('\n\n');
}

function renderChapter({ code, page, text }: Chapter, chapters: readonly Chapter[], shell: Shell): string {
  const { paint, width } = shell.onOut;
  const codes = new Set(chapters.map((chapter) => chapter.code));
  const docs = docsFolder(__dirname);
  const named = new Set<string>();
  const linked = (target: string) => {
    const [file = '', anchor = ''] = target.split('#');
    if (/^https?:/.test(target)) return target;
    if (codes.has(anchor)) return `campaignctl explain ${anchor}`;
    named.add(file || page);
    return join('docs', file || page);
  };
  const lines = explanationLines(text, { paint, width, linked });
  // The package has only the pages that are read here.
  const elsewhere = [...named].filter((name) => !existsSync(join(docs, name)));
  const folder = relative(shell.cwd, docs);
  const place = folder.startsWith('..') ? docs : folder;
  const where = [
    ...(named.size > elsewhere.length && place !== 'docs' ? [`Pages: ${place}`] : []),
    ...(elsewhere.length > 0
      ? [`In campaignctl's repository: ${elsewhere.map((name) => join('docs', name)).join(', ')}`]
      : []),
  ];
  return `${[paint('bold', code), '', ...lines, ...(where.length > 0 ? [''] : []), ...where].join('\n')}\n`;
}
