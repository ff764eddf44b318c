import type { Piece } from './page.js';
import type { Terminal } from './terminal.js';

/** The name of the file that a YAML block shows is its first line. */
export function fileOf(text: string): string {
  const [, file] = /^# (\S+\.yaml)\n/.exec(text) ?? [];
  if (file === undefined)
    throw new Error(`A YAML block begins with the name of its file, not with:\n${text}`);
  return file;
}

/** Does what a reader does: writes the files, makes the edits, types the commands. The answer is what the reader sees. */
export function replay(piece: Piece, terminal: Terminal): Piece {
  if (piece.kind === 'edit') terminal.edit(piece.file, piece.from, piece.to);
  if (piece.kind !== 'block') return piece;
  if (piece.info === 'yaml') terminal.write(fileOf(piece.text), piece.text);
  if (piece.info !== 'console') return piece;
  return {
    ...piece,
    text: `${piece.text
      .split(/^(?=\$ )/m)
      .map((entry) => retype(entry, terminal))
      .join('\n\n')}\n`,
  };
}

/** A command with what the page shows of its output, typed again. `…` stands for what comes before the next line shown. */
function retype(entry: string, terminal: Terminal): string {
  const [line = '', cut = '', first = ''] = entry.split('\n');
  const output = terminal.run(line.slice(2)).output.trimEnd();
  if (cut !== '…') return `${line}\n${output}`;
  const start = `\n${output}`.indexOf(`\n${first}\n`);
  return `${line}\n…\n${start < 0 ? output : output.slice(start)}`;
}
