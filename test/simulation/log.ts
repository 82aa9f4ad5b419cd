import { createHash } from 'node:crypto';
import type { ExecutionSource, TriggerOrigin } from '../../libs/elastic-job/src/domain/index.js';
import type { TaskTarget } from '../../libs/elastic-job/src/cloud/index.js';
import type { Operation } from '../../libs/elastic-job/src/registry/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import type { PlannedProcess } from './world/plan.js';

/** An operation as it was sent. `meant`: the version that a mutant took away. */
export type LoggedOperation = Operation & { readonly meant?: number };

export interface NodeWrite {
  readonly kind: 'created' | 'changed' | 'deleted';
  readonly path: string;
  readonly data: string;
  readonly isEphemeral: boolean;
}

/** Facts that a handler was given. */
export interface RunFact {
  readonly run: number;
  readonly instance: number;
  readonly jobName: string;
  readonly item: number;
  readonly fireTime: number;
  readonly origin: TriggerOrigin;
  readonly source: ExecutionSource;
  readonly token: bigint | undefined;
  readonly total: number;
  readonly parameter: string;
  /** The handler goes on after its signal has aborted. */
  readonly isDeaf: boolean;
}

/** An event of a task, at the instant of its effect. */
export interface TaskFact extends TaskTarget {
  readonly what: 'launched' | 'adopted' | 'opened' | 'started' | 'ended' | 'released';
  readonly jobName: string;
  readonly item: number;
  readonly uid: string;
  /** The run of the scheduler that holds it then. */
  readonly run: string;
  readonly token: bigint;
  /** State in which it has ended. */
  readonly state?: string;
  readonly killer?: string;
  /** Its report. */
  readonly outcome?: string;
}

export type Fact =
  | {
      readonly kind: 'commit';
      readonly session: string;
      readonly operations: readonly LoggedOperation[];
      readonly writes: readonly NodeWrite[];
    }
  | { readonly kind: 'session'; readonly instance: number; readonly session: string; readonly state: string }
  | ({ readonly kind: 'run' } & RunFact)
  | { readonly kind: 'returned' | 'threw'; readonly run: number }
  /** The handler is told to stop. `reason`: the class of its signal's reason. */
  | { readonly kind: 'aborted'; readonly run: number; readonly reason: string }
  /** A handler was given a checkpoint, of this run. */
  | { readonly kind: 'loaded'; readonly run: number; readonly savedBy: number }
  /** A handler has asked if its lease is held. */
  | { readonly kind: 'held'; readonly run: number; readonly isHeld: boolean }
  | { readonly kind: 'effect'; readonly run: number; readonly token: bigint; readonly accepted: boolean }
  | ({ readonly kind: 'task' } & TaskFact)
  | { readonly kind: 'event'; readonly instance: number; readonly wall: number; readonly event: JobEvent }
  /** A lasting fault ends with another entry, `healed`. */
  | { readonly kind: 'fault'; readonly fault: string; readonly instance: number; readonly lasts: boolean }
  | { readonly kind: 'healed'; readonly fault: string; readonly instance: number }
  /** `isOlder`: it is of a release that knows no re-runs. */
  | ({ readonly kind: 'process'; readonly instance: number; readonly isOlder?: true | undefined } & PlannedProcess)
  | { readonly kind: 'started'; readonly instance: number }
  | { readonly kind: 'leaving'; readonly instance: number }
  | { readonly kind: 'left'; readonly instance: number }
  | {
      readonly kind: 'operation';
      readonly name: string;
      readonly jobName: string;
      readonly item?: number;
      readonly id?: string;
      readonly outcome: 'asked' | 'done' | 'failed';
      /** The process whose code has called. Undefined: an operator has. */
      readonly instance?: number;
      /** The class of its error. */
      readonly error?: string;
    }
  | { readonly kind: 'calm' }
  /** Noted before all processes leave. */
  | { readonly kind: 'closing' }
  | { readonly kind: 'over'; readonly pendingTimers: number };

/**
 * A fact with its time (milliseconds since the epoch, by the registry's clock), and the registry's last zxid by then.
 */
export type Entry = { readonly at: number; readonly zxid: bigint } & Fact;

export type EntryOf<K extends Entry['kind']> = Extract<Entry, { readonly kind: K }>;

/** All facts of a history, in order. */
export class EventLog {
  readonly entries: Entry[] = [];

  /** One line for each entry; the same history gives the same text. */
  lines(): string[] {
    return this.entries.map(lineOf);
  }

  /** Equal for equal histories. */
  hash(): string {
    return createHash('sha256').update(this.lines().join('\n')).digest('hex');
  }
}

export function lineOf({ at, zxid, kind, ...rest }: Entry): string {
  return `${new Date(at).toISOString().slice(11, 23)} ${zxid.toString(16)} ${kind} ${JSON.stringify(rest, asText)}`;
}

function asText(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Map) return [...value];
  if (value instanceof Error) return value.message;
  return value;
}
