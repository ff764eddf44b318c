import type { ApplyResult, CampaignOutcome, StepOutcome, StepResult } from '../model/outcome.js';
import { changeLines } from './change-lines.js';
import { type Colour, type TextOptions, visibleLine } from './terminal.js';
import { count, wrap } from './words.js';

const SIGNS: Record<StepResult, [Colour, string, string]> = {
  done: ['green', '✓', 'done'],
  failed: ['red', '✗', 'failed'],
  in_doubt: ['magenta', '?', 'in doubt'],
  not_run: ['dim', '·', 'not run'],
};

/** What an apply did, step by step: every step is done, failed, in doubt or not run. */
export function renderApplyText(result: ApplyResult, options: TextOptions): string {
  const { paint } = options;
  const blocks = result.campaigns.flatMap((campaign) => ['', ...campaignLines(campaign, options)]);
  return `${[paint('bold', `Apply to ${result.environment}`), ...blocks, '', closing(result, options)].join('\n')}\n`;
}

function campaignLines(campaign: CampaignOutcome, options: TextOptions): string[] {
  const { paint, width } = options;
  const done = campaign.result === 'done';
  const id = campaign.id === null ? '' : `id ${campaign.id} · `;
  const sign = done ? paint('green', '✓') : paint('red', '✗');
  const left =
    campaign.remaining.length === 0
      ? []
      : [
          `    ${paint('red', 'The service and the manifest still differ:')}`,
          ...changeLines(campaign.remaining, [], { paint, width }),
        ];
  return [
    `${sign} ${paint('bold', visibleLine(campaign.name))}  ${paint('dim', `${id}${visibleLine(campaign.manifest)}`)}`,
    ...campaign.steps.flatMap((step) => stepLines(step, options)),
    ...left,
  ];
}

function stepLines({ title, result, detail }: StepOutcome, { paint, width }: TextOptions): string[] {
  const [colour, sign, word] = SIGNS[result];
  const suffix = result === 'done' ? '' : `  ${paint(colour, word)}`;
  const details = detail === null ? [] : wrap(visibleLine(detail), width - 8);
  return [
    `    ${paint(colour, sign)} ${title}${suffix}`,
    ...details.map((line) => `        ${paint('dim', line)}`),
  ];
}

function closing({ summary, campaigns }: ApplyResult, { paint }: TextOptions): string {
  const { done, incomplete, blocked, unchanged } = summary;
  const parts = [
    `${count(done, 'campaign')} done`,
    ...(incomplete > 0 ? [paint('red', `${incomplete} incomplete`)] : []),
    ...(blocked > 0 ? [paint('red', `${blocked} with blocked changes`)] : []),
    ...(unchanged > 0 ? [`${unchanged} unchanged`] : []),
  ];
  const doubtful = campaigns.flatMap(({ steps }) => steps.filter(({ result }) => result === 'in_doubt'));
  const isAttachment = ({ id }: StepOutcome) => id.startsWith('leads');
  const next = [
    ...(doubtful.length > 0
      ? [
          'What is in doubt was sent, and its outcome could not be read. Plan again: the next run reads the service first.',
        ]
      : []),
    ...(doubtful.some(isAttachment)
      ? [
          'Which leads are attached is shown in the web page of the service only: look there before you allow repeat-attach.',
        ]
      : []),
    ...(incomplete > 0 && doubtful.length === 0
      ? ['What the service shows as done is not sent again. Plan, look, and apply once more.']
      : []),
  ];
  return [`${parts.join(', ')}.`, ...next].join('\n');
}
