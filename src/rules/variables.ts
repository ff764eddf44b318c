import { type CopyNode, everyNode, parseCopy } from '../email/copy.js';
import { withoutHidden } from '../model/characters.js';
import { BUILT_IN_VARIABLES, type Environment } from '../model/environment.js';
import { usualVariable } from '../model/variable-words.js';

/** The part of an environment that says which variables there are. */
type VariableSource = Pick<Environment, 'custom_variables' | 'service'>;

/** The custom and built-in variables of the environment, in upper case. */
export function knownVariables({ custom_variables, service }: VariableSource): string[] {
  return [...new Set([...(custom_variables ?? []), ...service.built_in_variables].map(toName))];
}

/** A name that the environment has is a variable, whatever its characters, if it is written in upper case. */
export function isKnownVariable(name: string, environment: VariableSource): boolean {
  const text = name.normalize('NFC');
  return text === toName(text) && knownVariables(environment).includes(text);
}

/**
 * The known variable that a misspelt one, or a name of another tool, stands for; `null` if it stands for one that the
 * environment lacks. Another word stands for something else: MY_COMPANY is not COMPANY, and CFO_NAME is not CEO_NAME.
 */
export function meantVariable(name: string, environment: VariableSource): string | null {
  const known = knownVariables(environment);
  const meant =
    knownFor(name, known) ??
    (usualVariable(name) === null
      ? [...known, ...BUILT_IN_VARIABLES].find((other) => isMisspelling(name, other))
      : undefined);
  return meant !== undefined && meant !== name && known.includes(meant) ? meant : null;
}

/** The known variable with the same letters or, for usual words such as `prénom`, with the same meaning. */
function knownFor(name: string, known: readonly string[]): string | undefined {
  const usual = usualVariable(name);
  const means = (other: string) => usual !== null && usualVariable(other) === usual;
  return (
    known.find((other) => letters(other) === letters(name)) ??
    known.find((other) => other === usual) ??
    known.find(means)
  );
}

/** The same words, except for one slip in one of them. */
function isMisspelling(name: string, other: string): boolean {
  const [words, others] = [name, other].map((text) => text.split(/[\s_.-]+/)) as [string[], string[]];
  if (words.length === 1) return isSlip(name, others.join(''));
  if (words.length !== others.length) return false;
  const wrong = words.flatMap((word, index) => (word === others[index] ? [] : [[word, others[index] ?? '']]));
  const [pair = []] = wrong;
  return wrong.length === 1 && isSlip(pair[0] ?? '', pair[1] ?? '');
}

/** Two adjacent letters swapped, or one letter wrong, missing or added. Short words differ by a letter: LIST is not LAST. */
function isSlip(word: string, other: string): boolean {
  const [long, short] = word.length >= other.length ? [word, other] : [other, word];
  let start = 0;
  while (start < short.length && long[start] === short[start]) start += 1;
  let end = 0;
  while (end < short.length - start && long.at(-1 - end) === short.at(-1 - end)) end += 1;
  const [one, two] = [long, short].map((text) => text.slice(start, text.length - end)) as [string, string];
  if (long.length < 4 || !/^\p{L}+$/u.test(one + two)) return false;
  if (one.length === 2) return two === `${one[1]}${one[0]}`;
  return one.length === 1 && (two.length === 0 || long.length > 4);
}

/** `First Name` and `firstName` can be names; `Hi there, you` cannot. */
export function isNameLike(text: string): boolean {
  return /^\s*[\p{L}\p{N}_]+(?:[\s.-]+[\p{L}\p{N}_]+){0,3}\s*$/u.test(withoutHidden(text));
}

/** True for a name in braces that services do not take for a variable. */
export function isNoVariable(node: CopyNode, environment: VariableSource): boolean {
  const inner = node.text.slice(1, -1);
  return node.kind === 'braces' && isNameLike(inner) && !isKnownVariable(inner, environment);
}

/**
 * The variable that `first_name`, `First Name`, `firstName` or `prénom` stands for; `null` if the environment declares its
 * variables and has none for it. If none are declared, the workspace may have any.
 */
export function variableName(text: string, environment: VariableSource): string | null {
  const name = withoutHidden(text.normalize('NFKC')).trim();
  const known = knownVariables(environment);
  const same = knownFor(name, known) ?? knownFor(withoutOwner(name), known);
  if (same !== undefined) return same;
  if (environment.custom_variables !== null) return null;
  const parted = withoutOwner(name).replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2');
  return usualVariable(withoutOwner(name)) ?? toName(parted.replace(/\s+/g, ' ').replace(/[.-]+/g, '_'));
}

/** Other words that templates mark for somebody to fill in. */
const BLANKS = new Set(
  `FULLNAME CITY COUNTRY INDUSTRY WEBSITE WEBSITEURL COMPANYWEBSITE LINK URL DATE TIME TOPIC PAINPOINT PRODUCTNAME COMPETITOR
  PHONE PHONENUMBER ICEBREAKER PERSONALIZATION FIRSTLINE MUTUALCONNECTION YOURCOMPANY YOURCOMPANYNAME YOURPHONE YOURPHONENUMBER
  YOURTITLE YOURJOBTITLE YOURPOSITION YOUREMAIL YOURWEBSITE YOURPRODUCT MYCOMPANY MYTITLE UNSUBSCRIBE UNSUBSCRIBELINK UNSUBSCRIBEURL
  UNSUB`.split(/\s+/),
);

export const UNSUBSCRIBE_HINT =
  'Remove it, with the words of its link, and write two lines below settings: `can_unsubscribe: true` and `unsubscribe_text: Unsubscribe`.';

/** `{UNSUBSCRIBE_LINK}` of other tools: the service adds the link itself. */
export function isUnsubscribe(name: string): boolean {
  return /^UNSUB(?:SCRIBE)?(?:LINK|URL)?$/.test(letters(withoutOwner(name)));
}

/** `first_name` or `firstName` as one of several choices: other words may be ordinary ones, unless `there` follows. */
export function isVariableChoice(
  text: string,
  others: readonly string[],
  environment: VariableSource,
): boolean {
  const isName = /^[A-Z0-9]+(?:_[A-Z0-9]+)+$/.test(text) || isKnownVariable(text, environment);
  if (isName || /^[a-z0-9]+(?:_[a-z0-9]+)+$/.test(text)) return true;
  const word = letters(withoutOwner(text));
  if (usualVariable(word) === null && !knownVariables(environment).some((known) => letters(known) === word))
    return false;
  return /^[a-z]+(?:[A-Z][a-z]+)+$/.test(text) || others.some((other) => FALLBACK.test(other));
}

/** What emails say if a name is missing. */
const FALLBACK = /^(?:there|you|your [\p{L} ]{1,40}|friend|team|everyone|folks|all|colleague)$/iu;

/** `contact.first_name` is the first name of the lead. */
function withoutOwner(name: string): string {
  return name.replace(
    /^(?:(?:contact|lead|person|prospect|recipient|subscriber|customer|merge|member)[._\s]+|(?:custom(?:[ _]?fields?)?|fields?|properties|attributes|variables|vars)\.)+/i,
    '',
  );
}

/** A name that templates and other tools use, or a declared one. */
export function isPlaceholderWord(text: string, environment: VariableSource): boolean {
  const word = letters(withoutOwner(text));
  if (usualVariable(word) !== null || BLANKS.has(word)) return true;
  return (
    knownVariables(environment).some((known) => letters(known) === word) ||
    /^\s*(?:insert|enter)(?:[\s_]+[\p{L}]+){1,4}\s*$/iu.test(text)
  );
}

/** True for a name that is a placeholder also without marks around it, in a text that is not in capitals. */
export function isBareVariable(text: string): boolean {
  const usual = usualVariable(text);
  return usual !== null && /^(?:FIRST_NAME|LAST_NAME|COMPANY)$/.test(usual) && !ORDINARY.test(text);
}

/** Words that people write in capitals to stress them. */
const ORDINARY = /^(?:NAME|FIRST|LAST|NOM|NOME|NOMBRE|SOBRENOME|ORGANI[SZ]ATION)$/;

/** The text to write instead of a placeholder of another tool, such as `firstName | default: "there"`. */
export function replacementHint(placeholder: string, environment: PlacedVariables): string {
  const [name = '', ...fallback] = placeholder.split(/[|,?]/);
  if (isUnsubscribe(name)) return UNSUBSCRIBE_HINT;
  if (!isNameLike(name)) return 'Write a variable, such as {FIRST_NAME}, or the text itself.';
  const variable = variableName(name, environment);
  const word = letters(withoutOwner(name));
  const isUsual = usualVariable(word) !== null;
  const isKnown = variable !== null && knownVariables(environment).includes(variable);
  if (!isKnown && !isUsual && /^(?:YOUR|MY|INSERT|ENTER)/.test(word)) return 'Write the text itself.';
  if (variable === null) return undeclaredHint(withoutOwner(name), environment);
  const write =
    fallback.length > 0
      ? `Write {${variable}}, and make sure that every lead has a value: variables have no fallback.`
      : `Write {${variable}}.`;
  return isKnown || isUsual
    ? write
    : `${write} If the workspace does not have this variable, write the text itself.`;
}

/** The part of an environment that hints about its variables name. */
type PlacedVariables = VariableSource & Pick<Environment, 'name'>;

/** For a name that no declared variable stands for. */
export function undeclaredHint(name: string, environment: PlacedVariables): string {
  const key = `environments.${environment.name}`;
  const usual = usualVariable(name);
  const known = knownVariables(environment);
  const list = known.length > 0 && known.length <= 8 ? ` Known: ${known.join(', ')}.` : '';
  if (usual === null) return `Write the text itself, or a variable that the workspace has.${list}`;
  const adding = `add ${usual} to ${key}.service.built_in_variables`;
  return usual === name
    ? `Many services have this variable built in. If yours does, ${adding}.${list}`
    : `Many services have the variable {${usual}} built in. If yours does, write it, and ${adding}. Otherwise, write the text itself.${list}`;
}

function letters(text: string): string {
  return toName(text.replace(/[^\p{L}\p{M}\p{N}]/gu, ''));
}

function toName(text: string): string {
  return text.normalize('NFC').toUpperCase();
}

/** The variables of these subjects and bodies that the environment does not declare, sorted. */
export function undeclaredVariables(texts: readonly string[], environment: Environment): string[] {
  const names = texts
    .flatMap((text) => everyNode(parseCopy(text)))
    .flatMap((node) => (node.kind === 'variable' ? [node.name] : []));
  return [...new Set(names)].filter((name) => !isKnownVariable(name, environment)).sort();
}
