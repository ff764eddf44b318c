import { type CopyNode, everyNode, parseCopy } from '../email/copy.js';
import { withoutHidden } from '../model/characters.js';
import { BUILT_IN_VARIABLES, type Environment } from '../model/environment.js';

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
  const all = [...known, ...BUILT_IN_VARIABLES];
  const meant =
    all.find((other) => letters(other) === letters(name)) ??
    ALIASES.get(letters(name)) ??
    all.find((other) => isMisspelling(name, other));
  return meant !== undefined && meant !== name && known.includes(meant) ? meant : null;
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
 * Converts `first_name`, `First Name` or `firstName` to the variable with the same letters or meaning or, if there is none,
 * to upper case.
 */
export function variableName(text: string, environment: VariableSource): string {
  const name = withoutHidden(text.normalize('NFKC')).trim();
  const known = knownVariables(environment);
  const words = [letters(name), letters(withoutOwner(name))];
  const same = [...known, ...BUILT_IN_VARIABLES].find((other) => words.includes(letters(other)));
  if (same !== undefined) return same;
  const usual = ALIASES.get(letters(withoutOwner(name)));
  if (usual !== undefined && known.includes(usual)) return usual;
  const parted = name.replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2');
  return toName(parted.replace(/\s+/g, ' ').replace(/[.-]+/g, '_'));
}

/** Words of other tools, by letters, for the variables that services have built in. */
const ALIASES = new Map(
  Object.entries({
    FIRST_NAME: 'FIRSTNAME FNAME FIRST GIVENNAME NAME LEADNAME CONTACTNAME PROSPECTNAME RECIPIENTNAME',
    LAST_NAME: 'LASTNAME LNAME LAST SURNAME FAMILYNAME',
    EMAIL: 'EMAIL EMAILADDRESS',
    COMPANY: 'COMPANY COMPANYNAME ORGANIZATION ORGANISATION ACCOUNTNAME BUSINESSNAME THEIRCOMPANY',
    TITLE: 'TITLE JOBTITLE POSITION',
    SENDER_FIRST_NAME:
      'YOURNAME YOURFIRSTNAME YOURFULLNAME MYNAME MYFIRSTNAME SENDERNAME SENDERFIRSTNAME SENDERFULLNAME USERNAME USERFIRSTNAME REPNAME REPFIRSTNAME FROMNAME FROMFIRSTNAME',
    SENDER_EMAIL_SIGNATURE:
      'SIGNATURE EMAILSIGNATURE YOURSIGNATURE YOUREMAILSIGNATURE MYSIGNATURE SENDERSIGNATURE USERSIGNATURE USEREMAILSIGNATURE ACCOUNTSIGNATURE',
  }).flatMap(([variable, words]) => words.split(' ').map((word) => [word, variable] as const)),
);

/** Other words that templates mark for somebody to fill in. */
const BLANKS = new Set(
  `FULLNAME CITY COUNTRY INDUSTRY WEBSITE WEBSITEURL COMPANYWEBSITE LINK URL DATE TIME TOPIC PAINPOINT PRODUCTNAME COMPETITOR
  PHONE PHONENUMBER ICEBREAKER PERSONALIZATION FIRSTLINE MUTUALCONNECTION YOURCOMPANY YOURCOMPANYNAME YOURPHONE YOURPHONENUMBER
  YOURTITLE YOURJOBTITLE YOURPOSITION YOUREMAIL YOURWEBSITE YOURPRODUCT MYCOMPANY MYTITLE UNSUBSCRIBE UNSUBSCRIBELINK UNSUBSCRIBEURL UNSUB
  VORNAME NACHNAME FIRMENNAME PRÉNOM PRENOM NOMDEFAMILLE APELLIDO APELLIDOS COGNOME VOORNAAM ACHTERNAAM`.split(
    /\s+/,
  ),
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
  if (!ALIASES.has(word) && !knownVariables(environment).some((known) => letters(known) === word))
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
  if (ALIASES.has(word) || BLANKS.has(word)) return true;
  return (
    knownVariables(environment).some((known) => letters(known) === word) ||
    /^\s*(?:insert|enter)(?:[\s_]+[\p{L}]+){1,4}\s*$/iu.test(text)
  );
}

/** The text to write instead of a placeholder of another tool, such as `firstName | default: "there"`. */
export function replacementHint(placeholder: string, environment: VariableSource): string {
  const [name = '', ...fallback] = placeholder.split(/[|,?]/);
  const word = letters(withoutOwner(name));
  if (isUnsubscribe(name)) return UNSUBSCRIBE_HINT;
  if (!isNameLike(name)) return 'Write a variable, such as {FIRST_NAME}, or the text itself.';
  const known = knownVariables(environment);
  const exact = known.find((variable) => letters(variable) === letters(name) || letters(variable) === word);
  const variable = exact ?? ALIASES.get(word) ?? variableName(withoutOwner(name), environment);
  const isOwn = /^(?:YOUR|MY|INSERT|ENTER)/.test(word) && !ALIASES.has(word);
  if (exact === undefined && isOwn) return 'Write the text itself.';
  const write =
    fallback.length > 0
      ? `Write {${variable}}, and make sure that every lead has a value: variables have no fallback.`
      : `Write {${variable}}.`;
  const isCertain = known.includes(variable) || (environment.custom_variables === null && ALIASES.has(word));
  return isCertain ? write : `${write} If the workspace does not have this variable, write the text itself.`;
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
