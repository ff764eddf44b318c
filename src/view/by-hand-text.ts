/** Tasks by hand in a terminal. */
import { listed, thousands } from '../model/words.js';
import { type ByHandView, byHandEnd, byHandTitle, inBrackets, type TaskView } from './by-hand.js';
import { splitLines } from './diffs.js';
import type { Tasks } from './document.js';
import { type TextOptions, visibleCopy, visibleLine } from './terminal.js';
import { textDiff } from './text-diff.js';
import { hanging } from './words.js';

/** More lines than that are shown as a difference, if the current text is known. */
const MAX_LINES = 3;

export function byHandText(
  block: Tasks,
  { paint, width, full = false }: TextOptions & { full?: boolean },
): string[] {
  const { groups } = block;
  if (groups.length === 0) return [];
  let isShortened = false;
  const textLines = ({ name, text, before }: TaskView['texts'][number], from: string | null): string[] => {
    const head = [`  ${name}`, ...(from === null ? [] : [paint('red', `- ${visibleLine(from)}`)])];
    const lines = splitLines(text).map(visibleCopy);
    if (!full && before !== null && lines.length > MAX_LINES) {
      isShortened = true;
      return [...head, ...textDiff({ from: before, to: text }, { paint, width: width - 8 })];
    }
    // These texts are not wrapped, and the name is not in their line, so that they can be copied.
    const whole = lines.map((line) => paint('green', lines.length === 1 ? `+ ${line}` : `    ${line}`));
    return [...head, ...whole];
  };
  const lines = groups.flatMap(({ campaigns, tasks }) => [
    ...hanging(campaignNames(campaigns, full), width - 4).map((line) => `  ${line}`),
    ...tasks.flatMap(({ words, from, texts }) => [
      ...hanging(`[ ] ${visibleLine(words)}`, width - 6).map((line) => `    ${line}`),
      ...texts.flatMap((text) => textLines(text, from)).map((line) => `        ${line}`),
    ]),
  ]);
  const end = `${byHandEnd(groups)}${isShortened ? ' --full prints the texts to enter.' : ''}`;
  const endLines = hanging(end, width - 2).map((line) => `  ${paint('dim', line)}`);
  return ['', paint('yellow', byHandTitle(block)), ...lines, ...endLines];
}

/** Cards have the other names. */
const MAX_NAMES = 3;

function campaignNames(campaigns: ByHandView['campaigns'], full: boolean): string {
  const names = campaigns.map(({ name, id }) => `${visibleLine(name)}${inBrackets(id)}`);
  const [only = ''] = names;
  return names.length === 1
    ? only
    : `${thousands(names.length)} × the same: ${listed(names, full ? names.length : MAX_NAMES)}`;
}
