import type { ExecutionSource } from './trigger.js';
import type { StoredRecord } from './run-record.js';
import { isJsonNumber, readJson } from '../node-text.js';

/** A task that does the work of an item now, as the scheduler that follows it knows it. */
export interface RunningTask {
  /** As its backend names it, unique for each launch: the uid of a pod. */
  readonly id: string;
  /** The name of its backend: `processes`, `kubernetes`. */
  readonly backend: string;
  /** The begin that it belongs to, as the item's record names it. */
  readonly run: string;
  /** Which launch of its target it is, counted from 1. */
  readonly launch: number;
  readonly source: ExecutionSource;
  /** STAGING, QUEUED, RUNNING or UNREACHABLE; an end until that is recorded. @see ElasticJob-Cloud, `TaskState` */
  readonly state: string;
  /** Since when it is in that state, in milliseconds since the epoch. */
  readonly since: number;
  /** For people: `4 tasks run already`. */
  readonly detail?: string;
  /** The machine that it runs on, if that is known. */
  readonly node?: string;
}

/** How a backend of tasks is, as a scheduler sees it. */
export interface TaskBackendStatus {
  readonly name: string;
  /** Since when it does not answer, in milliseconds since the epoch; undefined: it does. */
  readonly failingSince: number | undefined;
  /** Why it does not answer. */
  readonly error: unknown;
  /** The most tasks that it runs for this scheduler at the same time; undefined: it has no limit of its own. */
  readonly mostTasks: number | undefined;
  /** The tasks that are followed here. */
  readonly tasks: readonly (RunningTask & { readonly jobName: string; readonly item: number })[];
}

/** The states of a task that has not ended. */
export type LiveTaskState = 'STAGING' | 'QUEUED' | 'RUNNING' | 'UNREACHABLE';

export const LIVE_TASK_STATES: readonly LiveTaskState[] = ['STAGING', 'QUEUED', 'RUNNING', 'UNREACHABLE'];

export function isLiveTaskState(state: string): state is LiveTaskState {
  return LIVE_TASK_STATES.some((live) => live === state);
}

/** Details of a backend may have any length. */
const LONGEST_DETAIL = 1_000;

/** The text of `sharding/{item}/task`. Java knows no such node. */
export function formatRunningTask(task: RunningTask): string {
  return JSON.stringify({ ...task, detail: task.detail?.slice(0, LONGEST_DETAIL) });
}

/** @returns undefined if the text is none of ours */
export function parseRunningTask(text: string): RunningTask | undefined {
  const value = readJson(text);
  return isRunningTask(value) ? value : undefined;
}

/** The task that a run has now. What a scheduler that is gone has left is of another run, and shows nothing. */
export function taskOfRun(text: string | undefined, stored: StoredRecord | undefined): RunningTask | undefined {
  const task = text === undefined ? undefined : parseRunningTask(text);
  return stored?.kind === 'record' && stored.record.run === task?.run ? task : undefined;
}

function isRunningTask(value: unknown): value is RunningTask {
  if (typeof value !== 'object' || value === null) return false;
  const {
    backend,
    detail = '',
    id,
    launch,
    node = '',
    run,
    since,
    source,
    state,
  }: Partial<Record<string, unknown>> = {
    ...value,
  };
  const texts = [backend, detail, id, node, run, source, state];
  return texts.every((text) => typeof text === 'string') && isJsonNumber(launch) && isJsonNumber(since);
}
