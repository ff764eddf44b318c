import type { ProgressEvent, ReportProgress } from '../model/progress.js';
import { thousands } from '../model/words.js';
import type { World } from '../operations/world.js';
import { cutCells, visibleLine } from '../view/terminal.js';

/** In milliseconds. */
const SHOWN_AFTER = 1_000;
const CLEAR = '\r\u001b[K';

export interface ProgressLine {
  report: ReportProgress;
  /** Writes complete lines above the progress. */
  above(write: () => void): void;
  /** Removes the line. The next event counts as the first. */
  clear(): void;
}

/** One line, which is rewritten and appears a second after the first event. */
export function openProgressLine(
  write: (text: string) => void,
  { width, clock }: { width(): number; clock: Pick<NonNullable<World['clock']>, 'after'> },
): ProgressLine {
  let line = '';
  let isShown = false;
  let cancel: (() => void) | null = null;
  const show = () => write(`${CLEAR}${line}`);
  return {
    report(event) {
      line = cutCells(visibleLine(progressText(event)), width() - 1, 'end');
      cancel ??= clock.after(SHOWN_AFTER, () => {
        isShown = true;
        show();
      });
      if (isShown) show();
    },
    above(print) {
      if (isShown) write(CLEAR);
      print();
      if (isShown) write(line);
    },
    clear() {
      if (isShown) write(CLEAR);
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
