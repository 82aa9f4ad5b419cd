// Covered by test/scenario/misfire-policies.spec.ts
import {
  type OwedSpan,
  fireTimesOf,
  type Span,
  spansOfEarlyRuns,
  spansOfStarts,
  type Start,
} from '../../domain/index.js';
import type { JobContext, NotedSpan } from '../leases/index.js';
import type { OperatorSwitches } from './operator-switches.js';

/** Items that owe the same fire times. */
export interface OwingItems {
  readonly items: readonly number[];
  readonly owed: OwedSpan;
}

/**
 * Which fire times the items of a job owe: those of its schedule, less what came while somebody had switched them off.
 */
export class OwedFireTimes {
  constructor(
    private readonly context: JobContext,
    private readonly switches: OperatorSwitches,
  ) {}

  /**
   * What is owed up to an instant, for each group of items that have the same past. None beside Java, of whose runs
   * there is no record, unless the caller knows better.
   * @param after by item: the last fire time that it was begun for; undefined: nobody can say since when it owes any
   */
  upTo(until: number, after: ReadonlyMap<number, number | undefined>): readonly OwingItems[] {
    const { schedule: times, settings, tree } = this.context;
    const { starts } = this;
    const schedule = starts === undefined ? settings.schedule : fireTimesOf(starts);
    if (schedule === undefined) return [];
    // The instants of starts are those that the instances have noted which wrote them.
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

  /** What stands for a schedule in a job that is started after others; undefined in any other. */
  private get starts(): readonly Start[] | undefined {
    const { settings, tree } = this.context;
    return settings.configuration.after.length === 0 ? undefined : (tree.startLedger()?.starts ?? []);
  }

  /** A start is owed whatever the settings were by then: nobody else has run it. */
  private beforeSettings(): readonly Span[] {
    const { scheduleClock, settings } = this.context;
    return this.starts === undefined ? [{ after: 0, until: scheduleClock.fromRegistry(settings.writtenAt).own }] : [];
  }
}
