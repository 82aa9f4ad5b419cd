import { isInstant, isJsonNumber, readFields } from '../node-text.js';
import type { StoredRecord } from './run-record.js';
import type { ExecutionSource } from './trigger.js';

/** A task that works on an item now, as its scheduler sees it. */
export interface RunningTask {
  /** Its name in the backend, unique for each launch: the uid of a pod. */
  readonly id: string;
  /** The name of its backend: `processes`, `kubernetes`. */
  readonly backend: string;
  /** The begin to which it belongs, as the item's record names it. */
  readonly run: string;
  /** Number of the launch for its target, from 1. */
  readonly launch: number;
  readonly source: ExecutionSource;
  /**
   * STAGING, QUEUED, RUNNING or UNREACHABLE; the final state until its end is recorded. @see ElasticJob-Cloud,
   * `TaskState`
   */
  readonly state: string;
  /** When it entered that state, in milliseconds since the epoch. */
  readonly since: number;
  /** A note for people: `4 tasks run already`. */
  readonly detail?: string;
  /** Its machine, if known. */
  readonly node?: string;
}

/** State of a backend of tasks, as a scheduler sees it. */
export interface TaskBackendStatus {
  readonly name: string;
  /** Since when it has not answered, in milliseconds since the epoch; undefined if it answers. */
  readonly failingSince: number | undefined;
  /** Why it does not answer. */
  readonly error: unknown;
  /** Most tasks that it runs for this scheduler at the same time; undefined if it has no limit of its own. */
  readonly mostTasks: number | undefined;
  /** The tasks that this scheduler follows. */
  readonly tasks: readonly (RunningTask & { readonly jobName: string; readonly item: number })[];
}

/** States of a task that has not ended. */
export type LiveTaskState = 'STAGING' | 'QUEUED' | 'RUNNING' | 'UNREACHABLE';

export const LIVE_TASK_STATES: readonly LiveTaskState[] = ['STAGING', 'QUEUED', 'RUNNING', 'UNREACHABLE'];

export function isLiveTaskState(state: string): state is LiveTaskState {
  return LIVE_TASK_STATES.some((live) => live === state);
}

/** Most characters of a detail, which a backend may make of any length. */
const LONGEST_DETAIL = 1_000;

/** The text of `sharding/{item}/task`. Java knows no such node. */
export function formatRunningTask(task: RunningTask): string {
  return JSON.stringify({ ...task, detail: task.detail?.slice(0, LONGEST_DETAIL) });
}

/** Reads a task's text. @returns undefined if the text is not ours */
export function parseRunningTask(text: string): RunningTask | undefined {
  const fields = readFields(text);
  return fields !== undefined && isRunningTask(fields) ? fields : undefined;
}

/** The current task of a run. A text that a former scheduler has left belongs to another run, and is ignored. */
export function taskOfRun(text: string | undefined, stored: StoredRecord | undefined): RunningTask | undefined {
  const task = text === undefined ? undefined : parseRunningTask(text);
  return stored?.kind === 'record' && stored.record.run === task?.run ? task : undefined;
}

function isRunningTask(fields: Readonly<Record<string, unknown>>): fields is typeof fields & RunningTask {
  const { backend, detail = '', id, launch, node = '', run, since, source, state } = fields;
  const texts = [backend, detail, id, node, run, source, state];
  return texts.every((text) => typeof text === 'string') && isJsonNumber(launch) && isInstant(since);
}

/** An operator's request to cancel a run that is under way. The text of `cancel/{item}`. */
export interface CancelRequest {
  /** The run, as the item's record names it: a late request must not cancel the next run. */
  readonly run: string;
  /** True if the run's executor is known to be gone: no executor is told, and the run ends as GONE_BY_OPERATOR. */
  readonly isConfirmedLost: boolean;
}

const LOST = ' lost';

export function formatCancelRequest({ run, isConfirmedLost }: CancelRequest): string {
  return isConfirmedLost ? run + LOST : run;
}

export function parseCancelRequest(text: string): CancelRequest {
  const isConfirmedLost = text.endsWith(LOST);
  return { run: isConfirmedLost ? text.slice(0, -LOST.length) : text, isConfirmedLost };
}
