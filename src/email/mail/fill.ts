import { type CopyNode, everyNode, parseCopy } from '../../model/copy.js';

/** Which of the choices of spintax is taken: the service takes any, at each send. */
export type Pick = 'first' | 'longest';

/** How copy becomes the text of one recipient. `write` spells a value in the format of the text around it. */
export interface Filling {
  values: { readonly [variable: string]: string };
  pick: Pick;
  write(value: string): string;
}

/** The text that a recipient gets: variables replaced, one choice of each spintax. What has no value becomes nothing. */
export function fillCopy(copy: string, filling: Filling): string {
  return filled(parseCopy(copy), filling);
}

function filled(nodes: readonly CopyNode[], filling: Filling): string {
  return nodes.map((node) => filledNode(node, filling)).join('');
}

function filledNode(node: CopyNode, filling: Filling): string {
  switch (node.kind) {
    case 'variable':
      return filling.write(filling.values[node.name] ?? '');
    case 'spintax':
      return pickOf(
        node.choices.map((choice) => filled(choice, filling)),
        filling.pick,
      );
    case 'braces':
      return `{${filled(node.content, filling)}}`;
    default:
      return node.text;
  }
}

function pickOf(choices: readonly string[], pick: Pick): string {
  const [first = ''] = choices;
  if (pick === 'first') return first;
  return choices.reduce((longest, choice) => (choice.length > longest.length ? choice : longest), first);
}

/** The variables of some copy, each once, in order of appearance. */
export function variablesOf(...copies: readonly string[]): string[] {
  const names = copies.flatMap((copy) =>
    everyNode(parseCopy(copy)).flatMap((node) => (node.kind === 'variable' ? [node.name] : [])),
  );
  return [...new Set(names)];
}

/** What is chosen at each send: the choices of each spintax as they are written, outer ones first, each once. */
export function choicesOf(copy: string): string[][] {
  const found = everyNode(parseCopy(copy)).filter((node) => node.kind === 'spintax');
  const texts = new Map(found.map((node) => [node.text, node.choices.map(sourceOf)]));
  return [...texts.values()];
}

function sourceOf(nodes: readonly CopyNode[]): string {
  return nodes.map(({ text }) => text).join('');
}

/** How many different texts the choices of a copy come to; Infinity where nobody could count them. */
export function wordingsOf(copy: string): number {
  return countOf(parseCopy(copy));
}

function countOf(nodes: readonly CopyNode[]): number {
  return nodes.reduce((product, node) => {
    if (node.kind === 'spintax')
      return product * node.choices.reduce((sum, choice) => sum + countOf(choice), 0);
    return node.kind === 'braces' ? product * countOf(node.content) : product;
  }, 1);
}
