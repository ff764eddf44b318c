/** The parts of Markdown that the pages in docs/ use, as text for a terminal. */
import type { TextOptions } from './terminal.js';
import { wrap } from './words.js';

/** `linked`: how to reach a link's target, such as `docs/service.md`. */
interface ExplanationOptions extends TextOptions {
  linked(target: string): string;
}

/** Blocks are separated by empty lines. */
export function explanationLines(markdown: string, options: ExplanationOptions): string[] {
  return markdown
    .split(/^(```\w*\n[\s\S]*?^```)$/m)
    .flatMap((part, at) => (at % 2 === 1 ? [codeLines(part, options)] : textBlocks(part, options)))
    .flatMap((lines) => ['', ...lines])
    .slice(1);
}

function codeLines(block: string, { paint }: TextOptions): string[] {
  return block
    .split('\n')
    .slice(1, -1)
    .map((line) => (line === '' ? '' : `    ${paint('cyan', line)}`));
}

function textBlocks(text: string, options: ExplanationOptions): string[][] {
  const blocks = text.trim().split(/\n{2,}|\n(?=#+ )|(?<=^#+ .*)\n/m);
  return blocks.filter((block) => block !== '').map((block) => blockLines(block, options));
}

function blockLines(block: string, options: ExplanationOptions): string[] {
  const { paint, width } = options;
  const [, heading] = /^#+ (.+)$/.exec(block) ?? [];
  if (heading !== undefined) return [paint('bold', inline(heading, options))];
  return block.split(/\n(?=(?:[-*]|\d+\.) )/).flatMap((item) => {
    const [, mark = '', text = ''] = /^((?:[-*]|\d+\.) )?([\s\S]*)$/.exec(item) ?? [];
    const lines = wrap(inline(text.replace(/\s*\n\s*/g, ' '), options), width - mark.length);
    return lines.map((line, at) => (at === 0 ? mark : ' '.repeat(mark.length)) + line);
  });
}

/** Code stays as it is, also if it looks like a link or like emphasis. */
function inline(text: string, { paint, linked }: ExplanationOptions): string {
  const linksNamed = text.replace(
    /\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s]+)\)/g,
    (_, label: string, target: string) => `${label} (${linked(target)})`,
  );
  return linksNamed
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .map((part) => {
      if (part.startsWith('`')) return paintWords(quotedCode(part.slice(1, -1)), 'cyan', paint);
      return part.startsWith('**') ? paintWords(part.slice(2, -2), 'bold', paint) : part;
    })
    .join('');
}

/** Quotes show where code ends, unless it is one word or has quotes itself. */
function quotedCode(code: string): string {
  return /\s|[,.]$/.test(code) && !/["']/.test(code) ? `"${code}"` : code;
}

/** Each word is painted alone, so that wrapping does not paint the margin. */
function paintWords(text: string, colour: 'cyan' | 'bold', paint: TextOptions['paint']): string {
  return text
    .split(' ')
    .map((word) => paint(colour, word))
    .join(' ');
}
