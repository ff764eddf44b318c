import { expect, it } from 'vitest';
import { openProgress } from '../../src/cli/commands/apply.js';
import { processShell } from '../../src/cli/shell.js';
import type { Plan } from '../../src/model/outputs.js';
import type { ApplyEvent } from '../../src/model/reports.js';

const plan = { summary: { requests: 2 } } as Plan;
const step: ApplyEvent = {
  type: 'step-started',
  campaign: 'Spring',
  step: 'create',
  title: 'create',
};
const trouble: ApplyEvent = { type: 'trouble', message: 'Not\r closed.' };

function progressText(isTTY: boolean): string {
  let written = '';
  const write = (text: string) => {
    written += text;
  };
  const stream = { write, isTTY, columns: 100 };
  const progress = openProgress(
    plan,
    processShell({ color: 'never', quiet: false }, { stdout: stream, stderr: stream }),
  );
  progress(step);
  progress(trouble);
  return written;
}

it('is one line on a terminal, which is rewritten', () => {
  const clear = '\r\u001b[K';
  expect(progressText(true)).toBe(`${clear}0/2 requests · Spring: create${clear}! Not⏎ closed.\n`);
});

it('is not shown without a terminal', () => {
  expect(progressText(false)).toBe('! Not⏎ closed.\n');
});
