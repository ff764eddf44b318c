import { nearest } from '../../manifest/errors.js';
import { EXIT, usage } from '../../model/failure.js';
import { ownValue } from '../../model/json.js';
import type { Explanations } from '../../model/outputs.js';
import { renderJson, type TextOptions } from '../../view/terminal.js';
import { wrap } from '../../view/words.js';
import { EXPLANATIONS } from '../explanations.generated.js';
import { defineCommand, naming, text, viewFormat } from '../options.js';

/** Prints what the pages in docs/ say of a code: there is no other text. */
export const command = defineCommand({
  positionals: {
    code: naming('codes', text('A code, as messages have it in brackets; default: a list of them')),
  },
  options: { format: viewFormat },
  examples: [
    ['campaignctl explain undeclared-variable', 'a rule, with an example'],
    ['campaignctl explain attach-running', 'what needs approval, and how to give it'],
  ],
  async run({ code, format }, shell) {
    if (format === 'json') {
      if (code !== null) explanationOf(code);
      const shown = Object.entries(EXPLANATIONS).filter(([one]) => code === null || one === code);
      const codes = shown.map(([one, { page, text }]) => ({
        code: one,
        ...kindOf(page),
        page: `docs/${page}`,
        text,
      }));
      shell.out(renderJson({ version: 1, codes } satisfies Explanations));
      return EXIT.ok;
    }
    if (code === null) {
      shell.out(`${listed(shell.onOut)}\n`);
      return EXIT.ok;
    }
    const { text } = explanationOf(code);
    const lines = format === 'markdown' ? [`# ${code}`, '', text] : toText(code, text, shell.onOut);
    shell.out(`${lines.join('\n')}\n`);
    return EXIT.ok;
  },
});

function explanationOf(code: string) {
  const found = ownValue(EXPLANATIONS, code);
  if (found === undefined) throw unknown(code);
  return found;
}

/** What a code of this page is, and with what a command ends for it where that is always the same. */
function kindOf(page: string): Pick<Explanations['codes'][number], 'kind' | 'exit_code'> {
  if (page === 'errors.md') return { kind: 'error', exit_code: EXIT.error };
  if (page === 'approvals.md') return { kind: 'hazard', exit_code: EXIT.refused };
  if (page === 'rules.md') return { kind: 'rule', exit_code: null };
  return { kind: page === 'policies.md' ? 'policy' : 'message', exit_code: null };
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
