// Parts of which lines of the log are made.
import { isError, messageOf } from '../domain/index.js';

/** A line of the application's log. */
export interface EventLine {
  readonly level: 'debug' | 'log' | 'warn' | 'error';
  readonly text: string;
  /** The thrown error, whose stack and causes are part of the line. */
  readonly error?: Error;
}

const lineAt =
  (level: EventLine['level']) =>
  (text: string): EventLine => ({ level, text });
export const debug = lineAt('debug');
export const log = lineAt('log');
export const warn = lineAt('warn');
export const error = lineAt('error');

/** Most numbers of items in a line, for each instance. */
const MOST_NUMBERS = 100;

export function describeAssignment(assignment: ReadonlyMap<number, string>): string {
  const byInstance = new Map<string, number[]>();
  for (const [item, instanceId] of assignment) {
    byInstance.set(instanceId, [...(byInstance.get(instanceId) ?? []), item]);
  }
  return [...byInstance].map(([instanceId, own]) => `${instanceId}: ${numbers(own)}`).join('; ');
}

export function itemsText(items: readonly number[]): string {
  return items.length === 1 ? `item ${items[0]}` : `items ${numbers(items) || 'none'}`;
}

/** A job may have thousands of items. */
function numbers(items: readonly number[]): string {
  const others = items.length - MOST_NUMBERS;
  return others <= 0 ? items.join(',') : `${items.slice(0, MOST_NUMBERS).join(',')} and ${others} others`;
}

export function instant(ms: number): string {
  return new Date(ms).toISOString();
}

/** A handler may throw any value. */
export function thrown(line: string, reason: unknown): EventLine {
  return { level: 'error', text: `${line}: ${messageOf(reason)}`, ...(isError(reason) && { error: reason }) };
}
