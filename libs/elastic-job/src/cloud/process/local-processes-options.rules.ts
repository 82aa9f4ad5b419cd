import { type OptionRow, OptionTable, rule, wholeNumber } from '../../domain/index.js';
import type { LocalProcessesOptions } from './local-processes-options.js';

const ROWS = {
  maxTasks: { rule: wholeNumber({ from: 1 }) },
  memoryPollMs: { rule: wholeNumber({ from: 1 }) },
  supervisorUrl: { rule: rule('a file: URL', isFileUrl) },
} as const satisfies Readonly<Record<keyof LocalProcessesOptions, OptionRow>>;

/** Options of `LocalProcesses`. */
export const PROCESSES_TABLE = new OptionTable(ROWS, 'LocalProcesses');

/** True also for a URL of another realm, such as Jest's. */
function isFileUrl(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Reflect.get(value, 'protocol') === 'file:';
}
