/**
 * Every gap that the API document leaves open, with the values that a plain reading allows. The first value of each gap is
 * the plainest one.
 */
import fc from 'fast-check';

const NONE = [
  404,
  '404 empty',
  '404 message',
  '404 page',
  400,
  422,
  204,
  'null',
  '{}',
  '[]',
  '{data: null}',
  '200 message',
  'envelope',
] as const;

export const GAPS = {
  /** Where a status is shown, and whether only once the campaign was launched. */
  status: [
    'nowhere',
    'list',
    'record',
    'both',
    'list once launched',
    'record once launched',
    'both once launched',
  ],
  /** Campaigns that exist before: one never launched, and one running. */
  others: ['none', 'two'],
  listBody: ['[…]', '{data}', '{campaigns}', '{result}', '{data: {campaigns}}'],
  listRow: ['whole', 'id and name'],
  recordBody: ['bare', '{data}', '{campaign}', '{result}', '{data: {campaign}}', '[record]'],
  settingsAt: ['beside the name', 'under settings'],
  settingsUntilSet: ['default', 'null', 'absent'],
  campaignId: ['number', 'string'],
  /** Around the id: `{data}` is `{"data": 53}`. */
  createdBody: [
    '{id}',
    '{campaign_id}',
    '{campaignId}',
    '{campaignID}',
    '{ID}',
    '{data: {id}}',
    '{data: {campaign_id}}',
    '{data: {campaignId}}',
    '{data: {campaign: {id}}}',
    '{campaign: {id}}',
    '{result: {id}}',
    '{result: {campaign_id}}',
    '{data}',
    '{campaign}',
    '{result}',
    'id',
    '[id]',
    '[{id}]',
    '{data: [{id}]}',
    '{id, name}',
    '{success, id}',
    '{success, campaign_id}',
    '{success, data: {id}}',
    '{status, id}',
    '{message, id}',
    'record',
  ],
  createdId: ['number', 'string'],
  createdStatus: [200, 201],
  writeStatus: [200, 201, 204],
  writeBody: ['{}', 'empty', 'null', '{success}', '{message}', 'record', '[]', '"OK"', 'true'],
  queries: ['ignored', 400, 404, 422],
  scheduleBody: ['bare', '{data}', '{schedule}', '{result}', '{data: {schedule}}', '[record]'],
  noSchedule: [...NONE, 'null fields'],
  stepsBody: [
    '[…]',
    '{data}',
    '{sequence_steps}',
    '{title, sequence_steps}',
    '{data: {title, sequence_steps}}',
    '{sequence: {title, sequence_steps}}',
    '{data: {sequence_steps}}',
    '{steps}',
    '{result}',
  ],
  noSteps: NONE,
  stepRows: ['as created', 'newest first'],
  stepId: ['number', 'string'],
  stepTitle: ['shown', 'absent'],
  order: ['shown', 'absent', 'required and shown'],
  /** Of a step that is no variant. */
  variant: ['false', 'null', 'absent'],
  variantFromStep: ['null', 'absent'],
  refusal: ['{message}', '{error}', '{errors}', 'empty', 'web page'],
} as const;

export type Literal = { -readonly [gap in keyof typeof GAPS]: (typeof GAPS)[gap][number] };

type Gap = keyof Literal;

export const PLAINEST = Object.fromEntries(
  Object.entries(GAPS).map(([gap, [plainest]]) => [gap, plainest]),
) as unknown as Literal;

/** One change of the plainest service for each other value of each gap. */
export const SINGLE_GAPS: Partial<Literal>[] = Object.entries(GAPS).flatMap(([gap, [, ...others]]) =>
  others.map((value) => ({ [gap]: value })),
);

export const anyLiteral = fc.record(
  Object.fromEntries(Object.entries(GAPS).map(([gap, values]) => [gap, fc.constantFrom<unknown>(...values)])),
) as fc.Arbitrary<unknown> as fc.Arbitrary<Literal>;

/** Lists the gaps whose value is not the plainest. */
export function describeLiteral(shape: Partial<Literal>): string {
  const gaps = (Object.keys(shape) as Gap[]).filter((gap) => shape[gap] !== PLAINEST[gap]);
  return gaps.map((gap) => `${gap} ${shape[gap]}`).join('; ') || 'the plainest service';
}
