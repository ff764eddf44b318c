import type { Failure } from '../model/failure.js';
import type { ApplyResult, CampaignOutcome, StepOutcome, StepResult } from '../model/outputs.js';
import { changeLines } from './change-lines.js';
import { renderFindingsText } from './findings.js';
import { problemLines } from './plan-text.js';
import { type Colour, type TextOptions, visibleLine } from './terminal.js';
import { count, cut, wrap } from './words.js';

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
          "Which leads are attached is shown in the service's web app only: look there before you allow repeat-attach.",
        ]
      : []),
    ...(incomplete > 0 && doubtful.length === 0
      ? ['What the service shows as done is not sent again. Plan, look, and apply once more.']
      : []),
  ];
  return [`${parts.join(', ')}.`, ...next].join('\n');
}

/** What stopped a command: its findings in the sources, then the reasons with their ways out. */
export function renderFailureText(failure: Failure, options: TextOptions): string {
  const { code, message, hint: way } = failure;
  const [first = '', ...rest] = problemLines({ code, severity: 'error', message, hint: way }, options, '');
  const details = failure.details.map((line) => `    ${cut(visibleLine(line), options.width - 4)}`);
  // The details belong to the message, and the way out comes last.
  const hint = rest.findIndex((line) => line.includes('→'));
  const at = hint < 0 ? rest.length : hint;
  const others = failure.others.flatMap((problem) => problemLines(problem, options, ''));
  const lines = [first, ...rest.slice(0, at), ...details, ...rest.slice(at), ...others];
  return `${renderFindingsText(failure.findings, options)}${lines.join('\n')}\n`;
}
