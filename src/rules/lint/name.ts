/** Up to four words that might be the name of a variable. */
const NAME_LIKE = /^\s*[\p{L}\p{N}_]+(?:[\s.-]+[\p{L}\p{N}_]+){0,3}\s*$/u;

/** Whether what stands in braces reads like a variable's name, however it is written. */
export function isNameLike(text: string): boolean {
  return NAME_LIKE.test(text);
}

/**
 * The name of the variable that is meant by `first_name`, `First Name`, `firstName` or ` FIRST_NAME `: a declared one
 * with the same letters, else the text in upper case.
 */
export function variableName(text: string, declared: readonly string[] | null): string {
  const same = declared?.find((name) => letters(name) === letters(text));
  if (same !== undefined) return same.toUpperCase();
  const parted = text.trim().replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2');
  return parted.replace(/\s+/g, ' ').replace(/[.-]+/g, '_').toUpperCase();
}

function letters(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase();
}
