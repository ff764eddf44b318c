import type { Json } from './json.js';

/** A generated validator. `errors`: what was wrong with the last value. */
export interface Guard<Type> {
  (value: unknown): value is Type;
  errors?: { instancePath: string; message?: string; params: Record<string, unknown> }[] | null;
}

/** What the text of a file of ours holds, or what is wrong with it, as the end of a sentence: `attached.ids is missing`. */
export type Decoded<Type> = { value: Type; wrong: null } | { value: null; wrong: string };

export function decode<Type>(text: string, is: Guard<Type>): Decoded<Type> {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return { value: null, wrong: 'it is not JSON' };
  }
  return is(value) ? { value, wrong: null } : { value: null, wrong: told(is.errors?.[0]) };
}

function told(error: NonNullable<Guard<unknown>['errors']>[number] | undefined): string {
  const { instancePath = '', message = 'is not as it was written', params = {} } = error ?? {};
  const { missingProperty, additionalProperty, allowedValue } = params;
  if (missingProperty !== undefined) return `${placeOf(`${instancePath}/${missingProperty}`)} is missing`;
  if (additionalProperty !== undefined)
    return `${placeOf(`${instancePath}/${additionalProperty}`)} is no property of it`;
  const subject = placeOf(instancePath) || 'it';
  return allowedValue === undefined
    ? `${subject} ${message.replace(',', ' or ')}`
    : `${subject} is not ${allowedValue}`;
}

/** `/campaigns/0/name` as people write it: `campaigns[0].name`. */
function placeOf(pointer: string): string {
  return pointer
    .replace(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')
    .replace(/^\./, '');
}
