/** All differences between services that the API allows, with their choices. The first choice is the base. */
export const CHOICES = {
  envelope: ['data', 'bare', 'result', 'named', 'data.named', 'success+data'],
  list: [
    'numbered',
    'numbered-links',
    'numbered-meta',
    'numbered-silent',
    'numbered-clamped',
    'numbered-404',
    'unpaged',
    'no-queries',
    'cursor-link',
    'cursor-relative',
    'cursor-token',
    'paginator',
    'total',
  ],
  rows: ['whole', 'id-name'],
  pageSize: [15, 2, 1],
  settings: ['flat', 'nested', 'sibling', 'beside'],
  idType: ['number', 'text'],
  idKey: ['id', 'campaign_id'],
  createAnswer: ['whole', 'only-id', 'campaign_id', 'nested', 'success+id', 'number'],
  createStatus: [201, 200],
  defaults: ['documented', 'other'],
  writeAnswer: ['record', 'empty-body', '204', 'success', 'message', 'null'],
  errors: ['root', 'data'],
  none: ['success-false', '404', 'null', '{}', '[]', '204'],
  steps: ['array', 'sequence_steps', 'sequence', 'data.sequence'],
  stepsOrder: ['sorted', 'reversed', 'shuffled'],
  stepIds: ['rising', 'falling'],
  variantOrder: ['null', 'absent', 'parent'],
  booleans: ['true', '1', '"1"', '"true"'],
  numbers: ['number', 'text'],
  nullFlags: ['null', 'false'],
  emptyTexts: ['null', '""'],
  times: ['HH:MM:SS', 'HH:MM'],
  /** `listed`: only complete list rows show the status. */
  status: ['shown', 'hidden', 'listed'],
  /** Form of a hidden status. */
  noStatus: ['absent', 'empty'],
  statusCase: ['lower', 'Capitalised', 'UPPER'],
  texts: ['as-sent', 'trimmed'],
  replySubject: ['as-sent', 'Re: '],
  lineEnds: ['LF', 'CRLF'],
  reputation: ['hidden', 'shown'],
  title: ['hidden', 'shown'],
  /** `zero`: the record always shows 0, and whole list rows the real number. */
  totals: ['hidden', 'shown', 'listed', 'zero'],
  extras: ['none', 'everywhere'],
  templates: ['content', 'ids-only'],
  launch: ['complete', 'anything'],
  resume: ['immediate', 'queued', 'failed'],
  scheduleRepost: ['replace', 'refuse', 'ignore'],
  sequenceRepost: ['append', 'replace', 'refuse'],
  variants: ['step_id', 'order'],
  updated: ['hidden', 'shown'],
} as const;

type Choices = { -readonly [name in keyof typeof CHOICES]: (typeof CHOICES)[name][number] };

export type Shape = Omit<Choices, 'pageSize'> & { pageSize: number };

export const BASE: Shape = firstChoices();

export function showsStatus({ status, rows }: Shape): boolean {
  return status === 'shown' || (status === 'listed' && rows === 'whole');
}

export function showsTotals({ totals, rows }: Shape): boolean {
  return totals === 'shown' || (totals !== 'hidden' && rows === 'whole');
}

/** A service that shows the documented fields in plain bodies, so no status and no number of leads. */
export const LITERAL = {
  ...{ envelope: 'bare', list: 'unpaged', rows: 'whole', settings: 'flat', idType: 'number', idKey: 'id' },
  ...{ createAnswer: 'only-id', createStatus: 200, defaults: 'documented', steps: 'array' },
  ...{ booleans: 'true', numbers: 'number', times: 'HH:MM', texts: 'as-sent', replySubject: 'as-sent' },
  ...{ lineEnds: 'LF', reputation: 'shown', extras: 'none', updated: 'hidden' },
  ...{ status: 'hidden', noStatus: 'absent', totals: 'hidden', resume: 'immediate' },
} as const satisfies Partial<Shape>;

/** The base with some choices changed. */
export function shaped(changes: Partial<Shape>): Shape {
  return { ...BASE, ...changes };
}

/** One change for each choice that differs from the base. */
export const SINGLE_CHANGES: Partial<Shape>[] = Object.entries(CHOICES).flatMap(([name, choices]) =>
  choices.slice(1).map((choice) => ({ [name]: choice })),
);

/** The fewest shapes that together cover every choice: the nth shape has the nth choice of each switch. */
export function mixedShapes(names: readonly (keyof Shape)[]): Partial<Shape>[] {
  const most = Math.max(...names.map((name) => CHOICES[name].length));
  return Array.from({ length: most }, (_, at) =>
    Object.fromEntries(names.map((name) => [name, CHOICES[name][at % CHOICES[name].length]])),
  );
}

function firstChoices(): Shape {
  return Object.fromEntries(Object.entries(CHOICES).map(([name, choices]) => [name, choices[0]])) as Shape;
}
