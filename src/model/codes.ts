/** Codes of the planner and of the sections. The catalogues of their messages use no others. */
export const PLANNER_CODES = [
  'adopt',
  'ambiguous-name',
  'apply-at-work',
  'attach-running',
  'campaign-gone',
  'cannot-detach',
  'claimed-twice',
  'drift-unknown',
  'launch',
  'launch-held',
  'launch-in-doubt',
  'launch-needs-senders',
  'launch-withheld',
  'mass-change',
  'mass-removal',
  'missing',
  'name-differs',
  'new-leads-above-emails',
  'no-leads',
  'not-kept',
  'not-promoted',
  'not-readable',
  'nothing-to-replace',
  'over-capacity',
  'pinned-not-found',
  'record-twice',
  'rename',
  'repeat-attach',
  'replace-sequence',
  'replaced-twice',
  'replaces-ambiguous',
  'replaces-circle',
  'replaces-not-found',
  'replaces-not-ready',
  'reset-unreadable',
  'revives-inactive-step',
  'same-name',
  'schedule-exists',
  'schedule-missing',
  'schedule-repost',
  'sequence-exists',
  'sequence-missing',
  'shared-leads',
  'status-contradicted',
  'status-not-shown',
  'step-inactive',
  'superseded-running',
  'template-not-found',
  'template-not-saved',
  'undoes-apply',
  'unfinished-run',
  'unkept-state',
  'unknown-status',
  'variants-apart',
] as const;

/** Codes of lint rules that a plan shows: they warn about one campaign. */
export const RULE_CODES = [
  'broken-spintax',
  'caps-above-capacity',
  'empty-sending-window',
  'html-in-plain-text',
  'invisible-characters',
  'liquid',
  'misspelt-variable',
  'new-leads-above-emails',
  'paragraphs-without-html',
  'reply-first-step',
  'reply-subject-prefix',
  'shared-lead-ids',
  'shared-lead-list',
  'unbalanced-braces',
  'undeclared-variable',
  'unsubscribe-text',
  'variable-case',
  'wait-too-short',
] as const;

export type RuleCode = (typeof RULE_CODES)[number];

/** Of a policy in the project file, or of a recommended one. */
export type PolicyCode = `policy/${string}` | `recommended/${string}`;

export type PlanCode =
  | (typeof PLANNER_CODES)[number]
  | RuleCode
  | PolicyCode
  | 'policy-waived'
  | 'near-match';
