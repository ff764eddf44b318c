import { isObject, type Json, type JsonObject, type Path, valueAt } from '../model/json.js';
import { pathText } from './errors.js';
import { keyMeant, numberMeant } from './spellings.js';
import type { Violation } from './violation.js';

const KIND = /^(?:type|kind|action|step|step_type)$/i;
const AMOUNT = /^(?:value|amount|duration|number)$/i;
const UNIT = /^(?:units?|period)$/i;
const WAIT = /^(?:wait|delay|pause|sleep|timer|time_delay)$/i;

/** A wait that is a step of its own, as in other tools, is one violation instead of those of an email without texts. */
export function withWaitSteps(violations: readonly Violation[], root: Json): Violation[] {
  const waits = violations.flatMap(({ path, missing }) => {
    const step = valueAt(root, path);
    const isStep = path.at(-2) === 'steps' && missing?.[0] === 'email_subject';
    return isStep && isObject(step) && isWait(step) ? [waitViolation(root, path, step)] : [];
  });
  if (waits.length === 0) return [...violations];
  const isOfWait = ({ path, missing = [] }: Violation) =>
    waits.some(
      ({ violation, email }) =>
        isWithin(path, violation.path) ||
        (email !== null && missing[0] === 'wait_in_days' && path.join('/') === email.join('/')),
    );
  return [
    ...violations.filter((violation) => !isOfWait(violation)),
    ...waits.map(({ violation }) => violation),
  ];
}

function isWithin(path: Path, parent: Path): boolean {
  return parent.every((part, index) => path[index] === part);
}

const isWaitKey = (key: string) => keyMeant(key, ['wait_in_days']) !== null;

function isWait(step: JsonObject): boolean {
  const keys = Object.keys(step);
  const isNamed = keys.some((key) => KIND.test(key) && WAIT.test(String(step[key])));
  const others = keys.filter(
    (key) => !isWaitKey(key) && !(isNamed && (KIND.test(key) || AMOUNT.test(key) || UNIT.test(key))),
  );
  return keys.length > 0 && others.length === 0;
}

/** `email`: the step that the wait belongs to; `null` if there is none. */
function waitViolation(
  root: Json,
  path: Path,
  step: JsonObject,
): { violation: Violation; email: Path | null } {
  const list = path.slice(0, -1);
  const steps = valueAt(root, list);
  const before = (Array.isArray(steps) ? steps : []).slice(0, Number(path.at(-1)));
  const index = before.findLastIndex((other) => !isObject(other) || !isWait(other));
  const email = index < 0 ? null : [...list, index];
  const days = daysIn(step);
  const line = days === undefined ? 'its days as wait_in_days' : `\`wait_in_days: ${days}\``;
  const hint =
    email === null
      ? 'Remove it: a sequence begins with an email.'
      : `In ${pathText(email)}, write ${line}, and remove this step.`;
  const message = `${pathText(path)} is a wait, which is not a step: each email has the wait after it.`;
  return { violation: { code: 'wrong-value', message, hint, path, target: 'value' }, email };
}

function daysIn(step: JsonObject): number | undefined {
  const keys = Object.keys(step);
  const key = keys.find(isWaitKey) ?? keys.find((name) => AMOUNT.test(name));
  const unit = keys.find((name) => UNIT.test(name));
  if (key === undefined) return undefined;
  const days = numberMeant('wait_in_days', `${step[key]} ${unit === undefined ? '' : step[unit]}`.trim());
  return days === undefined || days < 1 ? undefined : days;
}
