/** How far a command is. `total`: `null` if unknown. `about`: what it is doing now; `null` if that is no news. */
export interface ProgressEvent {
  doing: 'list' | 'campaigns' | 'requests';
  done: number;
  total: number | null;
  about: string | null;
  /** With `--recursive`. */
  project?: { name: string; number: number; of: number };
}

export type ReportProgress = (event: ProgressEvent) => void;
