import type { Command } from './table/command.js';
import { applyCommand, importCommand, planCommand, showCommand } from './table/plan.js';
import { compareCommand, initCommand, validateCommand } from './table/project.js';
import { commentCommand, previewCommand } from './table/review.js';
import { historyCommand, listCommand, unlockCommand } from './table/state.js';
import { completionCommand, configCommand, sandboxCommand } from './table/tools.js';

export type { Command } from './table/command.js';

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  initCommand,
  listCommand,
  validateCommand,
  compareCommand,
  planCommand,
  applyCommand,
  importCommand,
  showCommand,
  previewCommand,
  commentCommand,
  historyCommand,
  unlockCommand,
  configCommand,
  sandboxCommand,
  completionCommand,
];
