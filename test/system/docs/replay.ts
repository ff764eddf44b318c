import type { Piece } from './page.js';
import type { Terminal } from './terminal.js';

/** The name of the file that a block shows is its first line. */
export function fileOf(text: string): string {
  const [, file] = /^# (\S+)\n/.exec(text) ?? [];
  if (file === undefined) throw new Error(`A block of a file begins with its name, not with:\n${text}`);
  return file;
}

/**
 * Does what a reader does: writes the files (`yaml`), changes their lines (`diff`), types the commands (`console`, with what they
 * print, and `sh`). The answer is what the reader sees. Other blocks (`yml`, `ts` and those without a language) are only read.
 */
export async function replay(piece: Piece, terminal: Terminal): Promise<Piece> {
  if (piece.kind !== 'block') return piece;
  if (piece.info === 'yaml') terminal.write(fileOf(piece.text), piece.text);
  if (piece.info === 'diff') change(piece.text, terminal);
  if (piece.info === 'sh') await type(piece.text, terminal);
  if (piece.info !== 'console') return piece;
  const entries: string[] = [];
  for (const entry of piece.text.split(/^(?=\$ )/m)) entries.push(await retype(entry, terminal));
  return { ...piece, text: `${entries.join('\n\n')}\n` };
}

/** Lines with `-` become those with `+` that follow them. */
function change(text: string, terminal: Terminal): void {
  const file = fileOf(text);
  const hunks = [...text.matchAll(/((?:^-.*\n)+)((?:^\+.*\n)*)/gm)];
  if (hunks.length === 0) throw new Error(`A diff changes something, unlike:\n${text}`);
  const lines = (part = '') => part.replace(/^[-+]/gm, '');
  for (const [, from, to] of hunks) terminal.edit(file, lines(from), lines(to));
}

/** Commands whose output the page does not show. What installs packages is not run here; `npm run check` and pipelines do it. */
async function type(text: string, terminal: Terminal): Promise<void> {
  if (/^npm /.test(text)) return;
  const isServer = /^campaignctl sandbox /.test(text);
  const { output, status } = isServer ? terminal.serve(text) : await terminal.run(text);
  if (status !== 0) throw new Error(`${text}ended with ${status}:\n${output}`);
}

/** A command with what the page shows of its output, typed again. `…` stands for what comes before the next line shown, or after the last. */
async function retype(entry: string, terminal: Terminal): Promise<string> {
  const [line = '', ...shown] = entry.trimEnd().split('\n');
  const output = (await terminal.run(line.slice(2))).output.trimEnd();
  const start = shown[0] === '…' ? `\n${output}`.indexOf(`\n${shown[1]}\n`) : -1;
  if (start >= 0) return `${line}\n…\n${output.slice(start)}`;
  if (shown.at(-1) !== '…') return `${line}\n${output}`;
  const lines = output.split('\n').slice(0, shown.length - 1);
  return [line, ...lines, '…'].join('\n');
}
