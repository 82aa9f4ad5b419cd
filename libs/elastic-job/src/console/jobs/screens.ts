import type { Clock } from '../../clock/index.js';
import type { JobName } from '../../domain/index.js';
import type { ConsoleCaller } from '../contract/index.js';

/** Milliseconds for which a page counts as looked at after it was asked for. */
const LOOKED_AT_MS = 10_000;

interface Screen {
  readonly jobs: readonly JobName[];
  readonly until: number;
}

/** The rows that people look at: those of the last page of each. A stream of theirs keeps them on the screen. */
export class Screens {
  private readonly byName = new Map<string, Screen>();

  constructor(private readonly clock: Pick<Clock, 'monotonicNow'>) {}

  show({ name }: Pick<ConsoleCaller, 'name'>, jobs: readonly JobName[]): void {
    this.byName.set(name, { jobs, until: this.clock.monotonicNow() + LOOKED_AT_MS });
  }

  keep(caller: Pick<ConsoleCaller, 'name'>): void {
    const screen = this.byName.get(caller.name);
    if (screen !== undefined) this.show(caller, screen.jobs);
  }

  /** Each job once. */
  jobs(): ReadonlySet<JobName> {
    const now = this.clock.monotonicNow();
    for (const [name, { until }] of this.byName) if (until < now) this.byName.delete(name);
    return new Set([...this.byName.values()].flatMap(({ jobs }) => jobs));
  }
}
