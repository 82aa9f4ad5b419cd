import type { JobTree } from '../../coordination/index.js';
import {
  type OwedSpan,
  fireTimesOf,
  type Span,
  spansOfEarlyRuns,
  spansOfStarts,
  type Start,
} from '../../domain/index.js';
import type { JobSchedule, JobSettings } from '../settings/index.js';
import type { NotedSpan, ScheduleClock } from '../time/index.js';
import type { OperatorSwitches } from './operator-switches.js';

/** Items that owe the same fire times. */
export interface OwingItems {
  readonly items: readonly number[];
  readonly owed: OwedSpan;
}

/** Fire times that the items of a job owe: those of its schedule, except while an operator had disabled them. */
export class OwedFireTimes {
  constructor(
    private readonly tree: JobTree,
    private readonly settings: JobSettings,
    private readonly schedule: Pick<JobSchedule, 'excluded'>,
    private readonly scheduleClock: ScheduleClock,
    private readonly switches: OperatorSwitches,
  ) {}

  /**
   * Fire times owed up to an instant, for each group of items with the same past. Beside Java there are none, as its
   * runs leave no record, unless the caller knows better.
   * @param after last fire time by item for which it was begun; undefined if it is unknown since when it owes any
   */
  upTo(until: number, after: ReadonlyMap<number, number | undefined>): readonly OwingItems[] {
    const { schedule: times, settings, tree } = this;
    const { starts } = this;
    const schedule = starts === undefined ? settings.schedule : fireTimesOf(starts);
    if (schedule === undefined) return [];
    // Starts have the instants that the instances noted when they wrote them.
    const noted = (spans: readonly NotedSpan[]) => (starts === undefined ? spans : spans.map(({ shared }) => shared));
    const excluding = (spans: readonly Span[]) => (starts === undefined ? spans : spansOfStarts(starts, spans));
    const common = [...this.beforeSettings(), ...noted([this.switches.serverSpan, ...(times.excluded ?? [])])];
    const groups = new Map<string, { readonly items: number[]; readonly owed: OwedSpan }>();
    for (const [item, last] of after) {
      if (last === undefined || last >= until) continue;
      const own = noted(this.switches.spansOf(item));
      const early = spansOfEarlyRuns(tree.record(item)?.stored ?? { kind: 'none' });
      const key = [last, ...[...own, ...early].map((span) => span.until)].join();
      const group = groups.get(key) ?? {
        items: [],
        owed: { schedule, after: last, until, excluded: [...excluding([...common, ...own]), ...early] },
      };
      groups.set(key, group);
      group.items.push(item);
    }
    return [...groups.values()];
  }

  /** Starts that replace the schedule in a job that starts after others; undefined in any other job. */
  private get starts(): readonly Start[] | undefined {
    const { settings, tree } = this;
    return settings.configuration.after.length === 0 ? undefined : (tree.startLedger()?.starts ?? []);
  }

  /** A start is owed regardless of the settings of its time, since no other instance has run it. */
  private beforeSettings(): readonly Span[] {
    const { scheduleClock, settings } = this;
    return this.starts === undefined ? [{ after: 0, until: scheduleClock.fromRegistry(settings.writtenAt).own }] : [];
  }
}
