import { type Clock, Deadline } from '../../clock/index.js';
import type { JobName } from '../../domain/index.js';
import type { RecordedRun } from '../../operations/index.js';
import type { RunHistory } from '../../tracing/index.js';

/** A run that has failed. */
export type FailedRun = Pick<RecordedRun, 'begunAt' | 'instanceId' | 'run' | 'settledAt'> & { readonly item: number };

export interface RunErrorParts {
  readonly clock: Clock;
  readonly history: { open(): Promise<RunHistory> };
}

/** Longest wait for the history. */
const HISTORY_MS = 1_000;
/** A run that the history did not have is asked for again after this time: it writes behind the runs. */
const ASK_AGAIN_MS = 5_000;
/** Rows of the history for a page of items, and runs whose errors are kept. */
const MOST = 1_000;
/** Some databases keep whole seconds. */
const ROUNDED_MS = 1_000;

interface Known {
  readonly error: string | undefined;
  readonly askedAt: number;
}

/**
 * Errors of runs that have failed, from the history, which knows runs by their item, instance and time. A page of items
 * costs one query, or none if all are known: the error of a run never changes. Where there is no history, or it does
 * not answer in time, no error is known.
 */
export class RunErrors {
  private readonly known = new Map<string, Known>();

  constructor(private readonly parts: RunErrorParts) {}

  /** Errors by item. Never throws. */
  async of(job: JobName, runs: readonly FailedRun[]): Promise<ReadonlyMap<number, string>> {
    const { clock } = this.parts;
    const now = clock.monotonicNow();
    const open = runs.filter((run) => !this.isKnown(run, now));
    if (open.length > 0) await this.ask(job, open, now);
    return new Map(
      runs.flatMap((run) => {
        const error = this.known.get(keyOf(run))?.error;
        return error === undefined ? [] : [[run.item, error]];
      }),
    );
  }

  private isKnown(run: FailedRun, now: number): boolean {
    const known = this.known.get(keyOf(run));
    return known !== undefined && (known.error !== undefined || now - known.askedAt < ASK_AGAIN_MS);
  }

  private async ask(job: JobName, runs: readonly FailedRun[], now: number): Promise<void> {
    const found = await this.read(job, runs).catch(() => new Map<number, string>());
    for (const run of runs) {
      this.known.delete(keyOf(run));
      this.known.set(keyOf(run), { error: found.get(run.item), askedAt: now });
    }
    for (const oldest of [...this.known.keys()].slice(0, Math.max(0, this.known.size - MOST)))
      this.known.delete(oldest);
  }

  private async read(job: JobName, runs: readonly FailedRun[]): Promise<ReadonlyMap<number, string>> {
    const { clock, history } = this.parts;
    const late = (): never => {
      throw new Error(`the history has not answered for ${HISTORY_MS} ms`);
    };
    const asked = history.open().then((open) =>
      open.executions({
        jobName: job,
        isSuccess: false,
        isComplete: true,
        from: new Date(Math.min(...runs.map(({ begunAt }) => begunAt)) - ROUNDED_MS),
        to: new Date(Math.max(...runs.map(({ begunAt, settledAt = begunAt }) => settledAt)) + ROUNDED_MS),
        limit: MOST,
      }),
    );
    const { rows } = await Deadline.after(clock, HISTORY_MS).bounds(asked, late);
    return new Map(
      runs.flatMap(({ begunAt, instanceId, item }) => {
        const away = (row: (typeof rows)[number]) => Math.abs(row.startTime.getTime() - begunAt);
        const [row] = rows
          .filter(({ shardingItem, taskId }) => shardingItem === item && taskId.endsWith(instanceId))
          .toSorted((one, other) => away(one) - away(other));
        return row?.failureCause === undefined ? [] : [[item, row.failureCause]];
      }),
    );
  }
}

/** All items that begin together have one run. */
function keyOf({ item, run }: FailedRun): string {
  return `${item} ${run}`;
}
