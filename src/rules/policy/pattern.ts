/**
 * Regular expressions that nobody can hang the program with: the places where a match can end are followed as a set, so
 * nothing is tried twice. What a set cannot do (look around, refer back) is refused.
 */
type Node =
  | { kind: 'one'; matches: RegExp }
  | { kind: 'edge'; end: boolean }
  | { kind: 'row'; parts: Node[] }
  | { kind: 'either'; choices: Node[] }
  | { kind: 'repeat'; part: Node; least: number; most: number };

export type Pattern = { test(text: string): boolean } | { problem: string };

export const PATTERN_HELP =
  'Known are letters, . [a-z] \\d \\w \\s \\p{…} ( ) | ? * + {2,5} ^ and $; put \\ before a sign that is meant itself.';

/** Characters of a text that are looked at: enough for any name. */
const MOST = 500;
const MOST_TIMES = 500;
const MOST_LEVELS = 10;

class PatternError extends Error {}

/** Reads a pattern; `problem` says in words what is wrong with it. */
export function compile(source: string): Pattern {
  try {
    const node = parse(source);
    return {
      test(text) {
        const letters = [...text].slice(0, MOST);
        return ends(node, new Set(letters.keys()).add(letters.length), letters).size > 0;
      },
    };
  } catch (error) {
    if (error instanceof PatternError) return { problem: error.message };
    throw error;
  }
}

/** A piece: one character in whatever spelling, an edge, a bracket, a bar, or how often something is repeated. */
const PIECE =
  /\[\^?(?:\\.|[^\]\\])+\]|\\[pP]\{[A-Za-z_=]+\}|\\[dDwWsS]|\\[^A-Za-z0-9\s]|\(\?:|\(\?|[*+?]\??|\{\d+(?:,\d*)?\}|[^\\[\]{}]/suy;

function parse(source: string): Node {
  const pieces: string[] = [];
  const reader = new RegExp(PIECE);
  while (reader.lastIndex < source.length) {
    const at = reader.lastIndex;
    const [piece] = reader.exec(source) ?? [];
    if (piece === undefined) throw new PatternError(`${source.slice(at, at + 8)} is not understood`);
    pieces.push(piece);
  }
  const rest = pieces.reverse();
  const node = either(rest, 0);
  if (rest.length > 0) throw new PatternError('a ) has no (');
  return node;
}

/** Takes pieces off the end of the list up to a closing bracket. */
function either(rest: string[], level: number): Node {
  if (level > MOST_LEVELS) throw new PatternError('it has too many brackets inside brackets');
  const choices: Node[] = [];
  let parts: Node[] = [];
  for (let piece = rest.at(-1); piece !== undefined && piece !== ')'; piece = rest.at(-1)) {
    rest.pop();
    if (piece === '|') {
      choices.push({ kind: 'row', parts });
      parts = [];
    } else parts.push(repeated(single(piece, rest, level), rest));
  }
  return { kind: 'either', choices: [...choices, { kind: 'row', parts }] };
}

function single(piece: string, rest: string[], level: number): Node {
  if (piece === '(?') throw new PatternError('(? … ) is not known but for (?: … )');
  if (piece === '(' || piece === '(?:') {
    const inner = either(rest, level + 1);
    if (rest.pop() === undefined) throw new PatternError('a ( has no )');
    return inner;
  }
  if (piece === '^' || piece === '$') return { kind: 'edge', end: piece === '$' };
  if (times(piece) !== null) throw new PatternError(`there is nothing that ${piece} could repeat`);
  try {
    return { kind: 'one', matches: new RegExp(`^(?:${piece})$`, 'su') };
  } catch {
    throw new PatternError(`${piece} is not understood`);
  }
}

function repeated(part: Node, rest: string[]): Node {
  const often = times(rest.at(-1) ?? '');
  if (often === null) return part;
  rest.pop();
  if (times(rest.at(-1) ?? '') !== null) throw new PatternError('two repetitions follow each other');
  return { kind: 'repeat', part, ...often };
}

function times(piece: string): { least: number; most: number } | null {
  const [, least, comma, most] = /^\{(\d+)(,?)(\d*)\}$/.exec(piece) ?? [];
  if (least !== undefined) {
    const often = { least: Number(least), most: comma === '' ? Number(least) : most ? Number(most) : MOST };
    if (often.least > often.most || often.most > MOST_TIMES)
      throw new PatternError(`${piece} is no number of times up to ${MOST_TIMES}`);
    return often;
  }
  if (/^[*+]\??$/.test(piece)) return { least: piece.startsWith('+') ? 1 : 0, most: MOST };
  return /^\?\??$/.test(piece) ? { least: 0, most: 1 } : null;
}

/** Where a match can end that begins at one of `starts`. */
function ends(node: Node, starts: ReadonlySet<number>, letters: readonly string[]): Set<number> {
  switch (node.kind) {
    case 'one':
      return new Set([...starts].filter((at) => node.matches.test(letters[at] ?? '')).map((at) => at + 1));
    case 'edge':
      return new Set([...starts].filter((at) => at === (node.end ? letters.length : 0)));
    case 'row':
      return node.parts.reduce((so, part) => ends(part, so, letters), new Set(starts));
    case 'either':
      return new Set(node.choices.flatMap((choice) => [...ends(choice, starts, letters)]));
    case 'repeat':
      return repeatedEnds(node, starts, letters);
  }
}

/** Once as often as it has to be, only places that are new are followed: there are no more than letters. */
function repeatedEnds(
  { part, least, most }: Node & { kind: 'repeat' },
  starts: ReadonlySet<number>,
  letters: readonly string[],
): Set<number> {
  let now = new Set(starts);
  for (let time = 0; time < least && now.size > 0; time += 1) now = ends(part, now, letters);
  const found = new Set(now);
  for (let time = least; time < most && now.size > 0; time += 1) {
    now = new Set([...ends(part, now, letters)].filter((at) => !found.has(at)));
    for (const at of now) found.add(at);
  }
  return found;
}
