import type { ProgressEvent, ReportProgress } from '../model/progress.js';
import { thousands } from '../model/words.js';
import type { World } from '../operations/world.js';
import { cutCells, visibleLine } from '../view/terminal.js';

/** In milliseconds. */
const SHOWN_AFTER = 1_000;

export interface ProgressLine {
  report: ReportProgress;
  /** Writes complete lines above the progress. */
  above(write: () => void): void;
  /** Removes the line. The next event counts as the first. */
  clear(): void;
}

/** One line, which appears a second after the first event. `rewrite` replaces what is on the line. */
export function openProgressLine(
  rewrite: (line: string) => void,
  { width, clock }: { width(): number; clock: Pick<World['clock'], 'after'> },
): ProgressLine {
  let line = '';
  let isShown = false;
  let cancel: (() => void) | null = null;
  return {
    report(event) {
      line = cutCells(visibleLine(progressText(event)), width() - 1, 'end');
      cancel ??= clock.after(SHOWN_AFTER, () => {
        isShown = true;
        rewrite(line);
      });
      if (isShown) rewrite(line);
    },
    above(print) {
      if (isShown) rewrite('');
      print();
      if (isShown) rewrite(line);
    },
    clear() {
      if (isShown) rewrite('');
      isShown = false;
      cancel?.();
      cancel = null;
    },
  };
}

const WORDS: Record<ProgressEvent['doing'], string> = {
  list: 'Reading the list of campaigns',
  campaigns: 'Reading campaigns',
  requests: 'Sending requests',
};

function progressText({ doing, done, total, about, project }: ProgressEvent): string {
  const number = total === null ? (done > 0 ? `: ${thousands(done)}` : '') : `: ${of(done, total)}`;
  const whole = project === undefined ? [] : [`Project ${of(project.number, project.of)}`, project.name];
  return [...whole, `${WORDS[doing]}${number}`, ...(about === null ? [] : [about])].join(' · ');
}

function of(number: number, total: number): string {
  return `${thousands(number)} of ${thousands(total)}`;
}
