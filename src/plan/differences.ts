/** A place where two JSON values differ; both sides as short texts. Only for telling people: nothing is decided by it. */
export interface Difference {
  path: string;
  from: string;
  to: string;
}

const LONGEST = 60;

/** Where two values differ, by path, deepest first. */
export function differences(from: unknown, to: unknown, path = ''): Difference[] {
  if (from === to) return [];
  if (isPlain(from) && isPlain(to)) {
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return names.flatMap((name) => differences(from[name], to[name], below(path, name, from)));
  }
  return [{ path: path || 'it', from: short(from), to: short(to) }];
}

/** Lists count as objects whose keys are numbers. */
function isPlain(value: unknown): value is { [name: string]: unknown } {
  return typeof value === 'object' && value !== null;
}

function below(path: string, name: string, parent: object): string {
  if (Array.isArray(parent)) return `${path}[${name}]`;
  return path === '' ? name : `${path}.${name}`;
}

function short(value: unknown): string {
  if (value === undefined) return 'not there';
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
