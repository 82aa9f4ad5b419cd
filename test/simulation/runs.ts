import { isSameTarget } from '../../libs/elastic-job/src/domain/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import type { Entry, RunFact } from './log.js';

/** A handler's run. Times in milliseconds since the epoch. */
export interface Run extends RunFact {
  readonly at: number;
  abortedAt?: number;
  /** The class of its signal's reason. */
  abortedBy?: string;
  /** Times at which its handler was reported as hung. */
  readonly hungAt: number[];
  /** Time at which its item was given up to others although the handler goes on. */
  releasedAt?: number;
  /** Undefined: its process died, or it still runs. */
  endedAt?: number;
}

/** The runs of a log, in the order in which they began. */
export function readRuns(entries: readonly Entry[]): readonly Run[] {
  const runs = new Map<number, Run>();
  for (const entry of entries) {
    if (entry.kind === 'run') runs.set(entry.run, { ...entry, hungAt: [] });
    else if (entry.kind === 'aborted') {
      Object.assign(runs.get(entry.run)!, { abortedAt: entry.at, abortedBy: entry.reason });
    } else if (entry.kind === 'returned' || entry.kind === 'threw') runs.get(entry.run)!.endedAt = entry.at;
    else if (entry.kind === 'event' && entry.event.kind === 'hung') {
      noteHung([...runs.values()], entry.at, entry.instance, entry.event);
    } else if (entry.kind === 'fault' && entry.fault === 'crash') {
      for (const run of runs.values()) if (run.instance === entry.instance) run.endedAt ??= entry.at;
    }
  }
  return [...runs.values()];
}

type HungEvent = Extract<JobEvent, { readonly kind: 'hung' }>;

function noteHung(runs: readonly Run[], at: number, instance: number, { item, trigger, isReleased }: HungEvent): void {
  const hung = runs.findLast(
    (run) =>
      run.instance === instance && run.item === item && run.jobName === trigger.jobName && isSameTarget(run, trigger),
  );
  hung?.hungAt.push(at);
  if (hung !== undefined && isReleased) hung.releasedAt = at;
}
