/** Lists what spintax can be sent as. Runs in linear time for any copy. */
import { type CopyNode, parseCopy } from './copy.js';

/** `total`: of all combinations; at most `MANY`, which stands for any larger number. `shown`: all of them, or a few draws. */
export interface SpintaxPlace {
  written: string;
  total: number;
  shown: string[];
}

export const MANY = 1_000_000;

const MOST_SHOWN = 12;
const DRAWS = 6;

/** The outermost spintax of a text, in order. */
export function spintaxPlaces(copy: string): SpintaxPlace[] {
  const places = (nodes: readonly CopyNode[]): SpintaxPlace[] =>
    nodes.flatMap((node) => {
      if (node.kind === 'braces') return places(node.content);
      return node.kind === 'spintax' ? [placeOf(node)] : [];
    });
  return places(parseCopy(copy));
}

/** The number of different emails; at most `MANY`. */
export function combinations(places: readonly Pick<SpintaxPlace, 'total'>[]): number {
  return places.reduce((product, { total }) => Math.min(MANY, product * total), 1);
}

function placeOf(node: CopyNode): SpintaxPlace {
  const totals = new Map<CopyNode, number>();
  const total = totalOf([node], totals);
  const number = total > MOST_SHOWN ? DRAWS : total;
  const shown = Array.from({ length: number }, (_, at) =>
    outcome([node], Math.floor((at * total) / number), totals),
  );
  return { written: node.text, total, shown };
}

function totalOf(nodes: readonly CopyNode[], totals: Map<CopyNode, number>): number {
  return nodes.reduce((product, node) => {
    const own =
      node.kind === 'spintax'
        ? node.choices.reduce((sum, choice) => sum + totalOf(choice, totals), 0)
        : node.kind === 'braces'
          ? totalOf(node.content, totals)
          : 1;
    totals.set(node, Math.min(MANY, own));
    return Math.min(MANY, product * own);
  }, 1);
}

/** The outcome with this number, counted from 0, where the first node changes slowest. */
function outcome(nodes: readonly CopyNode[], number: number, totals: ReadonlyMap<CopyNode, number>): string {
  const parts: string[] = [];
  let rest = number;
  for (const node of nodes.toReversed()) {
    const own = totals.get(node) ?? 1;
    parts.push(outcomeOf(node, rest % own, totals));
    rest = Math.floor(rest / own);
  }
  return parts.reverse().join('');
}

function outcomeOf(node: CopyNode, number: number, totals: ReadonlyMap<CopyNode, number>): string {
  if (node.kind === 'braces') return `{${outcome(node.content, number, totals)}}`;
  if (node.kind !== 'spintax') return node.text;
  let rest = number;
  for (const choice of node.choices) {
    const own = choice.reduce((product, part) => Math.min(MANY, product * (totals.get(part) ?? 1)), 1);
    if (rest < own) return outcome(choice, rest, totals);
    rest -= own;
  }
  return '';
}
