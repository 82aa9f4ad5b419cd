import type { Clock } from '../../../clock/index.js';
import { CLOUD_PATHS, type CloudHandover, type CloudTakeover, type TakeoverEvent } from '../../../cloud/index.js';
import { JobPaths } from '../../../coordination/index.js';
import type { JobOperateApi } from '../../../operations/index.js';
import { acquireLatch, creation } from '../../../registry/index.js';
import { BackOff, repeat } from '../../../repeat/index.js';
import type { ElasticJobRuntime } from '../../../runtime/index.js';
import type { CloudRegistries } from './lite-jobs.js';

/** Pauses between checks, in milliseconds: a job may rest for long before it comes. */
const PAUSES = { firstMs: 1_000, longestMs: 30_000 };
const LONGEST_LATCH_WAIT_MS = 1_000;

/** Surroundings of a handover. */
interface HandOverParts {
  readonly registries: CloudRegistries;
  readonly takeover: CloudTakeover;
  readonly operate: JobOperateApi;
  readonly runtime: ElasticJobRuntime;
  readonly clock: Clock;
}

/**
 * Passes the runs that were taken over to Lite's jobs: queues the items that wait for failover, then triggers each owed
 * run while no item of the job runs. One scheduler at a time does this for the jobs that it has joined. If it dies
 * between the trigger of a run and the note about it, the run is triggered again.
 */
export class HandOver {
  constructor(private readonly parts: HandOverParts) {}

  /** Resolves when nothing is pending. @throws the signal's reason, and a registry's refusal */
  async run(signal: AbortSignal): Promise<void> {
    const backOff = new BackOff(this.parts.clock, PAUSES);
    const stillPending = () => new Error('Some work that was taken over waits for its jobs.');
    await repeat({ signal, backOff, isRepeated: () => false, lostRace: stillPending }, async () => {
      if ((await this.parts.takeover.pending()).length === 0) return true;
      if (await this.stepAlone(signal)) backOff.succeeded();
      return undefined;
    });
  }

  /** One step, unless another scheduler is at it. @returns true if something was passed on */
  private async stepAlone(signal: AbortSignal): Promise<boolean> {
    const { clock, registries } = this.parts;
    const limits = { timeoutMs: LONGEST_LATCH_WAIT_MS, signal };
    const latch = await acquireLatch(registries.cloud, clock, CLOUD_PATHS.takeoverLatch, limits);
    try {
      return latch !== undefined && (await this.step());
    } finally {
      await latch?.release();
    }
  }

  /** @returns true if something was passed on */
  private async step(): Promise<boolean> {
    const { runtime, takeover } = this.parts;
    let isAny = false;
    const joined = new Set(runtime.registrar.jobs.map(({ jobName }) => jobName));
    for (const handover of await takeover.pending()) {
      if (!joined.has(handover.jobName)) continue; // The entry waits until the job comes, or is enabled.
      isAny = (handover.items.length > 0 ? await this.queue(handover) : await this.trigger(handover)) || isAny;
    }
    return isAny;
  }

  private async queue(handover: CloudHandover): Promise<true> {
    const { registries, takeover } = this.parts;
    const paths = new JobPaths(handover.jobName);
    await registries.lite.ensurePath(paths.queue);
    // An item that waits already is queued only once.
    for (const item of handover.items) await registries.lite.transaction([creation(paths.queued(item))]);
    await takeover.settle(handover, { runs: handover.runs, items: [] });
    return true;
  }

  private async trigger(handover: CloudHandover): Promise<boolean> {
    const { operate, runtime, takeover } = this.parts;
    const { jobName, runs } = handover;
    if ((await runtime.executions.running(jobName)).length > 0) return false;
    const { asked } = await operate.trigger(jobName);
    if (asked.length > 0) await takeover.settle(handover, { runs: runs - 1, items: [] });
    return asked.length > 0;
  }
}

/** A finding of a takeover, for people. */
export function describeTakeover(event: TakeoverEvent): string {
  const left = 'of ElasticJob-Cloud';
  switch (event.kind) {
    case 'runs-owed':
      return `a ready counter ${left} was taken over: ${event.runs} runs are owed`;
    case 'items-queued':
      return `failover entries ${left} were taken over: items ${event.items.join(', ')} are run once more`;
    case 'dropped':
      return `${event.what} entries ${left} were dropped (${event.because}): ${event.found.join(', ')}`;
    case 'left':
      return `the remains of ElasticJob-Cloud's job stay until the job is corrected: ${event.problems.join('; ')}`;
    case 'disable-kept':
      return `${event.of} "${event.name}" was disabled in ElasticJob-Cloud, and still is`;
    default:
      return event satisfies never;
  }
}
