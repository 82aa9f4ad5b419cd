import { type JobConfiguration, shortestIntervalMs } from '../domain/index.js';
import type { TaskBackend } from './task-backend.js';

/**
 * Reports a job that fires faster than its tasks can be launched; undefined if it does not. Resident jobs have no fire
 * times.
 * @param now in milliseconds since the epoch
 */
export function findIntervalFault(
  { leastIntervalMs }: Pick<TaskBackend, 'leastIntervalMs'>,
  { cron, resident, timeZone }: Partial<Pick<JobConfiguration, 'cron' | 'resident' | 'timeZone'>>,
  now: number,
): string | undefined {
  if (cron === undefined || resident) return undefined;
  const intervalMs = shortestIntervalMs(cron, { after: now, timeZone });
  if (intervalMs >= leastIntervalMs) return undefined;
  return `its fire times are ${intervalMs} ms apart, and it launches none more often than every ${leastIntervalMs} ms`;
}
