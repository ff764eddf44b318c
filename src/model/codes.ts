/** What each hazard means. A project file or `--allow` accepts it by its name. */
export const HAZARDS = {
  launch: 'The campaign starts or resumes mailing real people.',
  'no-leads':
    'A campaign is launched or replaces another one, but neither its manifest nor the state nor the service shows any leads for it; or the service accepted its leads and shows 0.',
  'attach-running':
    'Leads are added to a campaign that is or may be sending: they are mailed without further approval.',
  'shared-leads':
    'Two campaigns that have sent, are sending or start with this plan have leads in common, who would be mailed twice.',
  'reset-unreadable':
    'The service does not show a setting, and the manifest does not set it: an update would reset it to the last applied or default value.',
  adopt:
    "A campaign that is or may be sending would be changed, but it is not in the state, so it may be someone else's. A pause alone needs no approval.",
  'replace-sequence':
    'The emails of a campaign that has run, or may have run, are replaced: leads partway through may get emails again, or miss some.',
  'sequence-missing':
    'The service shows fewer emails than the state records, or may have a sequence that it does not show, and apply would post the emails again.',
  'schedule-missing':
    'The service shows no schedule where there should be one, or may have one that it does not show, and apply would post it again.',
  'revives-inactive-step':
    'The campaign would send an email that was switched off in the campaign that it replaces.',
  'repeat-attach': 'These leads may already be attached, and attaching them again might add them twice.',
  'undoes-apply':
    'A change puts back a value that an earlier apply replaced, and the commit that is checked out is not known to include that apply.',
  rename:
    'The campaign may exist under a name other than the one in the manifest. The API cannot rename campaigns: apply would create a second one, or change a different one with that name.',
  missing: 'A campaign that was applied is gone, or the token belongs to a different workspace.',
  'over-capacity':
    'The plan raises the sum of the daily caps of all running campaigns above the capacity in the project file.',
  'unkept-state': 'The state is in a folder that a checkout can roll back or delete.',
  'mass-removal':
    'More than three campaigns, and more than 30% of those with a manifest, lost it and would be paused.',
  'mass-change': 'More than 25 campaigns, and more than 30% of those in the plan, would change at once.',
};
export type Hazard = keyof typeof HAZARDS;

/** Codes of the planner and of the sections, without hazards. The catalogues of their messages use no others. */
export const PLANNER_CODES = [
  'ambiguous-name',
  'apply-at-work',
  'campaign-gone',
  'cannot-detach',
  'claimed-twice',
  'drift-unknown',
  'launch-held',
  'launch-in-doubt',
  'launch-needs-senders',
  'launch-withheld',
  'name-differs',
  'new-leads-above-emails',
  'not-kept',
  'not-listed',
  'not-promoted',
  'not-readable',
  'nothing-to-replace',
  'pinned-not-found',
  'record-twice',
  'replaced-twice',
  'replaces-ambiguous',
  'replaces-circle',
  'replaces-not-found',
  'replaces-not-ready',
  'same-name',
  'schedule-exists',
  'schedule-repost',
  'sequence-exists',
  'similar-name',
  'status-contradicted',
  'status-not-shown',
  'step-inactive',
  'superseded-running',
  'template-not-found',
  'template-not-saved',
  'unfinished-run',
  'unknown-status',
  'variants-apart',
] as const;

/** Codes of lint rules that a plan shows: they warn about one campaign. */
export const RULE_CODES = [
  'broken-link',
  'broken-spintax',
  'caps-above-capacity',
  'curly-quotes-in-tag',
  'empty-sending-window',
  'fake-reply',
  'folded-lines',
  'foreign-placeholder',
  'front-matter',
  'hash-cuts-text',
  'html-in-plain-text',
  'invisible-characters',
  'liquid',
  'literal-line-break',
  'markdown',
  'misspelt-variable',
  'new-leads-above-emails',
  'one-line-text',
  'paragraphs-without-html',
  'pasted-mail',
  'reply-first-step',
  'reply-subject-prefix',
  'shared-lead-ids',
  'shared-lead-list',
  'unbalanced-braces',
  'undeclared-variable',
  'unfinished-text',
  'unmatched-quote',
  'unsubscribe-text',
  'variable-case',
  'wait-too-short',
] as const;

export type RuleCode = (typeof RULE_CODES)[number];

/** Of a policy in the project file, or of a recommended one. */
export type PolicyCode = `policy/${string}` | `recommended/${string}`;

export type PlanCode =
  | Hazard
  | (typeof PLANNER_CODES)[number]
  | RuleCode
  | PolicyCode
  | 'policy-waived'
  | 'near-match'
  | 'no-match';
