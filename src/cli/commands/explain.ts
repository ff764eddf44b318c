import { nearest } from '../../manifest/errors.js';
import { EXIT, type ExitCode, usage } from '../../model/failure.js';
import { ownValue } from '../../model/json.js';
import type { TextOptions } from '../../view/terminal.js';
import { wrap } from '../../view/words.js';
import type { Flags } from '../commands.js';
import { EXPLANATIONS } from '../explanations.generated.js';
import type { Shell } from '../shell.js';

/** Prints what the pages in docs/ say of a code: there is no other text. */
export async function run({ code }: Flags<'explain'>, shell: Shell): Promise<ExitCode> {
  const shown =
    code === null ? listed(shell.onOut) : toText(code, explanationOf(code).text, shell.onOut).join('\n');
  shell.out(`${shown}\n`);
  return EXIT.ok;
}

function explanationOf(code: string) {
  const found = ownValue(EXPLANATIONS, code);
  if (found === undefined) throw unknown(code);
  return found;
}

function unknown(code: string) {
  const near = nearest(code, Object.keys(EXPLANATIONS));
  const all = 'campaignctl explain lists the codes.';
  return usage(`There is no code "${code}".`, near === null ? all : `Did you mean ${near}?`);
}

/** The codes by the page that they stand on. */
function listed({ paint, width }: TextOptions): string {
  const pages = [...new Set(Object.values(EXPLANATIONS).map(({ page }) => page))];
  return pages
    .map((page) => {
      const codes = Object.keys(EXPLANATIONS).filter((code) => EXPLANATIONS[code]?.page === page);
      const lines = wrap(codes.join(' '), width - 2).map((line) => `  ${line}`);
      return [paint('bold', `docs/${page}`), ...lines].join('\n');
    })
    .join('\n\n');
}

/** Markdown for a terminal: paragraphs as wide as it is, blocks indented, links as their words. */
function toText(code: string, markdown: string, { paint, width }: TextOptions): string[] {
  const blocks = markdown.split(/^(```\w*\n[\s\S]*?^```)$/m);
  const lines = blocks.flatMap((block, at) => {
    if (at % 2 === 1)
      return block
        .split('\n')
        .slice(1, -1)
        .map((line) => `    ${line}`);
    return block
      .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
      .replace(/\*\*(.+?)\*\*/g, '$1')
      .split(/\n{2,}|\n(?=[-|] )/)
      .map((paragraph) => paragraph.trim().replaceAll('\n', ' '))
      .filter((paragraph) => paragraph !== '')
      .flatMap((paragraph) => ['', ...wrap(paragraph, width)]);
  });
  return [paint('bold', code), ...lines];
}
