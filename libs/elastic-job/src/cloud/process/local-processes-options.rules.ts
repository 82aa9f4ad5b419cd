import { isFileUrl, type OptionRow, OptionTable, rule, wholeNumber } from '../../domain/index.js';
import type { LocalProcessesOptions } from './local-processes-options.js';

const ROWS = {
  maxTasks: { rule: wholeNumber({ from: 1 }) },
  memoryPollMs: { rule: wholeNumber({ from: 1 }) },
  supervisorUrl: { rule: rule('a file: URL', isFileUrl) },
} as const satisfies Readonly<Record<keyof LocalProcessesOptions, OptionRow>>;

/** Options of `LocalProcesses`. */
export const PROCESSES_TABLE = new OptionTable(ROWS, 'LocalProcesses');
