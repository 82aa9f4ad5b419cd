import { ProcessTable } from '../../../libs/elastic-job/src/cloud/process/process-table.js';

/** Finds processes by a variable of their environment. @returns the ids of those that this user may inspect */
export function processesWith(variable: string, value: string): readonly number[] {
  const table = new ProcessTable();
  return table.rows.filter((row) => table.variableOf(row, variable) === value).map(({ pid }) => pid);
}

/** True if a process still runs. A zombie does not. */
export function isAtWork(pid: number): boolean {
  return new ProcessTable().rows.some((row) => row.pid === pid);
}
