import { posix } from 'node:path';
import { shellQuoted } from '../model/shell.js';

/** A printed command, up to the end of its sentence or line of several. */
const COMMAND =
  /(?<!\bby\s)\bcampaignctl(\s+)(apply|compare|forget|history|import|list|pause|plan|preview|state|unlock|validate)\b((?:(?![.;:)]\s|\n\s*\n|\bcampaignctl\s)[\s\S])*)/g;
/** A folder, quoted as `projectFlags` does. */
const CHDIR = /(\s-C\s+)(?:"([^"]*)"|([\w./-]+))/;

/**
 * Adds the folder that the person named with `-C` to the commands of a text, so that they can be pasted. `isRecursive`: the
 * commands that name no project are for one of several.
 */
export function placedCommands(text: string, folder: string, { isRecursive = false } = {}): string {
  if (folder === '.') return text;
  return text.replace(COMMAND, (_, space: string, name: string, rest: string) => {
    const [written, flag = ' -C ', quoted, plain = quoted] = CHDIR.exec(rest) ?? [];
    const isOpen = isRecursive && written === undefined && !/\s--recursive\b/.test(rest);
    if (plain === 'FOLDER' || isOpen) return `campaignctl${space}${name}${rest}`;
    const placed = `${flag}${word(posix.join(folder, plain ?? '.'))}`;
    const flags = written === undefined ? `${placed}${rest}` : rest.replace(written, () => placed);
    return `campaignctl${space}${name}${flags}`;
  });
}

function word(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : shellQuoted(path);
}
