/**
 * A report as blocks. A builder, such as `planDocument`, says what a report contains and in which order; the three renderers
 * print every kind of block, so a fact of one form is in the others.
 */
import type { Failure } from '../model/failure.js';
import type { Problem, SectionName } from '../model/outputs.js';
import type { ByHandView } from './by-hand.js';
import type { ChangeView, EmailView, Fate } from './changes.js';
import type { CampaignLink, Notice } from './plan-notices.js';

export type Document = readonly Block[];

export type Block =
  | Head
  | Paragraph
  | ProblemsBlock
  | ({ is: 'notice' } & Notice)
  | Steps
  | TableBlock
  | CalendarBlock
  | Cards
  | Tasks
  | Notes
  | ResultsBlock
  | Failures
  | OutcomesBlock;

export type Look = 'new' | 'changed' | 'blocked' | 'launch' | 'quiet';

export interface Fact {
  look: Look;
  words: string;
}

/** The filters of the search on a page, in the words of their buttons. */
export type CardFilter =
  | 'launch'
  | 'stops'
  | 'higher daily cap'
  | 'blocked'
  | 'needs approval'
  | 'change'
  | 'create'
  | 'drift';

/** `filter`: the one that finds the card because of this fact; absent if none does. */
export interface CardFact extends Fact {
  filter?: CardFilter;
}

/** `words` excludes the number: "to create" for "2 to create". */
export interface Count extends Fact {
  number: number;
}

/**
 * What the report is about. `mark`: whether real people can get emails. `counts`: groups of numbers. `verdict`: a sentence
 * instead of them. `needed`: what needs approval; empty for nothing. `about`: commit, author and times, for a page.
 */
export interface Head {
  is: 'head';
  title: string;
  subject: string;
  service: string;
  /** True if the token is sent over http. */
  isInsecure: boolean;
  mark: Fact;
  about: readonly string[];
  counts: readonly (readonly Count[])[];
  verdict: string | null;
  /** Capacity, what was not read, how to read the report. */
  lines: readonly Fact[];
  needed: string;
  /** "refused", in words, if apply refuses the plan or a part of it; may be empty. */
  refused: string;
  /** "no approval needed" or "approved: launch", if something is sent and nothing is left to approve; otherwise empty. */
  free: string;
  fingerprint: string;
  /** Where a terminal shows the numbers: only at the start, or only at the end. Otherwise a long report repeats them. */
  numbersAt?: 'start' | 'end';
}

/** A head with nothing but a title, and `parts`. */
export function plainHead(title: string, parts: Partial<Head> = {}): Head {
  return {
    ...{
      is: 'head',
      title,
      subject: '',
      service: '',
      isInsecure: false,
      about: [],
      counts: [],
      verdict: null,
    },
    ...{
      mark: { look: 'quiet', words: '' },
      lines: [],
      needed: '',
      refused: '',
      free: '',
      fingerprint: '',
    },
    ...parts,
  };
}

export interface Paragraph {
  is: 'paragraph';
  look: Look;
  lines: readonly string[];
}

/** No block without lines. */
export function paragraph(lines: readonly string[], look: Look = 'quiet'): Paragraph[] {
  return lines.length === 0 ? [] : [{ is: 'paragraph', look, lines }];
}

export interface ProblemsBlock {
  is: 'problems';
  problems: readonly Problem[];
}

/** No block without problems. */
export function problemsBlock(problems: readonly Problem[]): ProblemsBlock[] {
  return problems.length === 0 ? [] : [{ is: 'problems', problems }];
}

/**
 * What to do next. `refusal`: why apply refuses the plan, whatever is approved. `review`: for the person who decides.
 * `applying`: for the person who applies.
 */
export interface Steps {
  is: 'steps';
  refusal: string | null;
  review: readonly string[];
  applying: readonly NextStep[];
  decision: Decision | null;
}

/** `command`: to be copied, so it is never wrapped. */
export interface NextStep {
  words: string;
  command: string | null;
}

/**
 * The approvals and holds that can be ticked on a page. `command`: without approvals; `null` if apply refuses the plan all the
 * same. `note`: what a held launch does not hold; may be empty.
 */
export interface Decision {
  note: string;
  fingerprint: string;
  environment: string;
  command: string | null;
  options: readonly DecisionOption[];
}

/** `hold`: empty if it cannot be held. `isCarried`: something may have to be carried over before the launch. */
export interface DecisionOption {
  words: string;
  allow: string;
  hold: string;
  isCarried: boolean;
}

/** A campaign in a cell or a list. `anchor`: its card on a page. `manifest`: to link to, or `null`. */
export interface Name {
  name: string;
  anchor: string | null;
  manifest: string | null;
}

export type Cell = string | Fact | readonly Name[];

/**
 * How a column fits into a terminal: `least` is the width to which it is cut, names last, paths at their start. `drop`: if
 * the table is too wide, columns with the highest number are left out first; those without a number never.
 * `isWhole`: on a page, its lines do not break.
 */
export interface DocumentColumn {
  head: string;
  isRight?: boolean;
  least?: number;
  isName?: boolean;
  isPath?: boolean;
  isWhole?: boolean;
  drop?: number;
}

/**
 * `number`: how many campaigns its rows stand for. `isRepeated`: true if other blocks have its facts, too. `only`: the form in
 * which no other block has them.
 */
export interface TableBlock {
  is: 'table';
  id: string;
  title: string;
  number: number;
  columns: readonly DocumentColumn[];
  rows: readonly (readonly Cell[])[];
  isRepeated: boolean;
  only?: 'markdown';
}

/**
 * Emails of the launches on each of fourteen `days` (`YYYY-MM-DD`); `null` if not known. `sum`: of what is known; `isPartial`:
 * if something is not. `start`: what is known of a row without cells. `capacity`: of all running campaigns.
 */
export interface CalendarBlock {
  is: 'calendar';
  title: string;
  days: readonly string[];
  rows: readonly { names: readonly [Name, ...Name[]]; cells: readonly number[] | null; start: string }[];
  sum: readonly number[];
  isPartial: boolean;
  capacity: number | null;
}

/** `except`: the form in which a table has all their facts. */
export interface Cards {
  is: 'cards';
  id: string;
  title: string;
  cards: readonly Card[];
  except?: 'markdown';
}

/** A campaign, or several with the same change. */
export interface Card {
  sign: string;
  /** The campaign's name, or "3 × the same change". */
  title: string;
  /** The first one is the action. */
  facts: readonly CardFact[];
  themes: readonly string[];
  /** Its leads and, for a launch, its dates; `null` for several campaigns, whose members have them. */
  leads: string | null;
  /** Whose subjects, if new leads get them. */
  subjects: readonly { subject: string; isVariant: boolean }[];
  /** "id 12 · campaigns/spring.yaml"; empty for several campaigns. */
  where: string;
  /** True if `leads` says more than the changes: for a launch, for leads of a sending campaign, and for lists attached again. */
  explainsLeads: boolean;
  remarks: readonly string[];
  parts: readonly Part[];
  codes: readonly string[];
  members: readonly [Member, ...Member[]];
  isLaunch: boolean;
  isNew: boolean;
  isAwaited: boolean;
}

/** `leads`: as in `Card`. `lists`: its leads in full, if `leads` shortens them. */
export interface Member extends Name {
  anchor: string;
  manifest: string;
  where: string;
  leads: string | null;
  parts: readonly Part[];
}

export const FATE_LOOKS: Record<Fate, Look> = {
  'will be applied': 'new',
  'will not be applied': 'changed',
  'cannot be applied': 'blocked',
};

export type Part =
  | {
      is: 'changes';
      section: SectionName;
      /** If apply sends only some sections. */
      mark: Fate | null;
      /** "as in Spring"; empty if nothing is compared. */
      compared: string;
      /** The campaign whose card precedes this one and has the same new emails; `null` if none has. */
      sameAs: CampaignLink | null;
      /** What is compared, if not the current value with the planned one. */
      sides?: readonly [before: string, after: string];
      changes: readonly ChangeView[];
      isPlain: boolean;
    }
  | {
      is: 'emails';
      emails: readonly EmailView[];
      /** Those that new leads get. Text and Markdown show only these: the changes contain the others. */
      sent: readonly EmailView[];
      /** Labels of emails that apply does not change. */
      withheld: ReadonlySet<string>;
      isPlain: boolean;
    };

export interface Tasks {
  is: 'tasks';
  groups: readonly ByHandView[];
  isSandbox: boolean;
}

/** Notices that need nobody's attention. */
export interface Notes {
  is: 'notes';
  notices: readonly Notice[];
}

/** The results of several projects. */
export interface ResultsBlock {
  is: 'results';
  results: readonly ProjectResult[];
}

/** `✓`: nothing is left to do; `!`: somebody has to decide or do something. `names`: projects with the same result. */
export interface ProjectResult {
  mark: '✓' | '!' | '✗';
  names: readonly string[];
  words: string;
}

/** Projects without a result, with what is wrong. `names`: projects with the same failure. */
export interface Failures {
  is: 'failures';
  title: string;
  failures: readonly { names: readonly string[]; failure: Failure }[];
}

/** What runs did. `title`: of one run; may be empty. `facts`: when, by whom, at which commit. */
export interface OutcomesBlock {
  is: 'outcomes';
  title: string;
  facts: readonly string[];
  outcomes: readonly Outcome[];
}

/** A campaign in a run. `mark` may be empty. `unsent`: titles of steps that were not run. `parts`: what still differs. */
export interface Outcome {
  mark: '✓' | '✗' | '';
  name: string;
  about: string;
  steps: readonly OutcomeStep[];
  unsent: readonly string[];
  parts: readonly Part[];
}

/** `sign` and `result`: the mark and the word for what became of it. `at`: when it was sent; may be empty, as `request`. */
export interface OutcomeStep {
  look: Look;
  sign: string;
  words: string;
  result: string;
  detail: string | null;
  at: string;
  request: string;
}
