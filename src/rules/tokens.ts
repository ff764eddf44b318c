import { errorAt, pathText, type SourceFinding } from '../manifest/errors.js';
import type { Json, Path } from '../model/json.js';
import type { KnownToken } from '../model/mask.js';
import type { Place } from '../model/outputs.js';

/** An error for each value that contains a token. It cannot be switched off. */
export function tokenFindings(
  value: Json,
  at: (path: Path, options: { text?: string }) => Place,
  tokens: readonly KnownToken[],
): SourceFinding[] {
  if (tokens.length === 0) return [];
  return [...textsIn(value, [])].flatMap(([path, text]) =>
    tokens.flatMap(({ variable, token, mask }) => {
      if (mask(text) === text) return [];
      const finding = errorAt(at(path, text.includes(token) ? { text: token } : {}), {
        code: 'secret-in-file',
        message: `${pathText(path)} contains the token in ${variable}.`,
        hint: 'Remove it, and replace the token in the service, because it was stored in a file.',
      });
      return [{ ...finding, secret: true }];
    }),
  );
}

function* textsIn(value: Json, path: Path): Generator<[path: Path, text: string]> {
  if (typeof value === 'string') yield [path, value];
  else if (Array.isArray(value))
    for (const [at, part] of value.entries()) yield* textsIn(part, [...path, at]);
  else if (value !== null && typeof value === 'object')
    for (const [key, part] of Object.entries(value)) yield* textsIn(part, [...path, key]);
}
