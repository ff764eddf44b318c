import type { LintSubject, RuleSwitch } from '../../manifest/resolve.js';
import type { Environment } from '../../model/environment.js';
import type { Finding } from '../../model/problem.js';
import { liquid, unbalancedBraces } from './braces.js';
import { invisibleCharacters } from './characters.js';
import { emailsOf } from './email.js';
import { htmlInPlainText, paragraphsWithoutHtml } from './markup.js';
import type { Remark, Rule } from './rule.js';
import { emptySendingWindow } from './schedule.js';
import { newLeadsAboveEmails, unsubscribeTextUnused, unsubscribeWithoutText } from './settings.js';
import { brokenSpintax, emptyChoice } from './spintax.js';
import { replyFirstStep, replySubjectPrefix, waitTooShort } from './steps.js';
import { weighed } from './switches.js';
import { duplicateId, duplicateName, sharedLeadList } from './twins.js';
import { unusedValue } from './values.js';
import { undeclaredVariable, variableCase } from './variables.js';

/**
 * Lint: what is legal in a manifest and still a mistake, since nothing on the server checks it. It promises
 * findings with stable codes, each explained in `docs/rules.md`, from resolved campaigns of one environment. It must
 * not read files, look up lines or know how a project switches rules: the caller does.
 */

/** All rules, in the order of `docs/rules.md`. */
export const RULES: readonly Rule[] = [
  undeclaredVariable,
  variableCase,
  unbalancedBraces,
  brokenSpintax,
  emptyChoice,
  liquid,
  replySubjectPrefix,
  replyFirstStep,
  waitTooShort,
  htmlInPlainText,
  paragraphsWithoutHtml,
  unsubscribeWithoutText,
  unsubscribeTextUnused,
  newLeadsAboveEmails,
  emptySendingWindow,
  duplicateName,
  duplicateId,
  sharedLeadList,
  invisibleCharacters,
  unusedValue,
];

/**
 * Everything the rules find in the campaigns of one environment: campaign by campaign, then what compares them. `rules`:
 * what the project weighs differently; of a rule that looks at one campaign, the campaign's own word counts more.
 */
export function lint(
  subjects: readonly LintSubject[],
  environment: Environment,
  rules: Readonly<Record<string, RuleSwitch>> = {},
): Finding[] {
  const single = subjects.flatMap((subject) => {
    // Read here and dropped again: the trees of all emails of a large project would fill the memory.
    const campaign = { subject, emails: emailsOf(subject.spec) };
    return RULES.flatMap((rule) =>
      rule.scope === 'campaign' ? rule.check(campaign, environment).map(findingOf(rule)) : [],
    ).flatMap((finding) => weighed(finding, { ...rules, ...subject.lint }));
  });
  const compared = RULES.flatMap((rule) =>
    rule.scope === 'project' ? rule.check(subjects, environment).map(findingOf(rule)) : [],
  );
  return [...single, ...compared.flatMap((finding) => weighed(finding, rules))];
}

function findingOf({ code, severity }: Rule): (remark: Remark) => Finding {
  return (remark) => ({ code, severity, ...remark });
}
