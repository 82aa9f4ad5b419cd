import { untilCommitted } from '../../coordination/index.js';
import { type CutShortRuns, failsOver, findCutShort } from '../../domain/index.js';
import type { JobContext } from '../leases/index.js';

/** Most lost instances that are remembered until a leader has told of their runs. */
const MOST_LOST = 1_000;

/**
 * Tells of runs that died with their instance and that nobody repeats. Without failover the marks of a run are
 * ephemeral, so the sweep finds nothing; the record shows the run that has no end.
 *
 * Each instance remembers who was lost, since each may be the next leader. One that starts alone takes all others as
 * lost: nobody else can have seen them go.
 */
export class CutShort {
  private readonly lost = new Set<string>();
  private members = new Set<string>();
  private areAllLost = false;

  constructor(private readonly context: JobContext) {}

  /** True if runs of lost instances are to be told. */
  get isAwaited(): boolean {
    return this.areAllLost || this.lost.size > 0;
  }

  noteLost(instanceId: string): void {
    this.members.delete(instanceId);
    this.lost.add(instanceId);
    if (this.lost.size > MOST_LOST) this.lost.delete([...this.lost][0]!);
  }

  noteJoined(instanceId: string): void {
    this.members.add(instanceId);
  }

  /** Notes the members at the start, and those that have gone while nothing was heard. */
  noteMembers(isStart: boolean): void {
    const { tree } = this.context;
    const members = new Set(tree.instances().map(({ jobInstanceId }) => jobInstanceId));
    if (isStart) this.areAllLost = [...members].every((id) => id === tree.self.jobInstanceId);
    const gone = [...this.members].filter((id) => !members.has(id));
    this.members = members;
    for (const id of gone) this.noteLost(id);
  }

  /** Forgets what the leader has told. */
  forget(): void {
    this.lost.clear();
    this.areAllLost = false;
  }

  /** Tells of the runs, as the leader; after a sweep, which has synced. */
  async tell(signal: AbortSignal): Promise<void> {
    if (!this.isAwaited) return;
    const { events, services, tree } = this.context;
    const { monitorExecution, resident } = services.configurations.current(tree.jobName);
    // Beside Java a record without an end proves nothing.
    if (!monitorExecution || resident || tree.company.endsByMark) return this.forget();
    const { found, isAwaited } = await untilCommitted(tree, 'reading runs', () => this.find(signal), signal);
    if (!isAwaited) this.forget();
    for (const runs of found) events.emit({ kind: 'cut-short', jobName: tree.jobName, ...runs });
  }

  private async find(
    signal: AbortSignal,
  ): Promise<{ readonly found: readonly CutShortRuns[]; readonly isAwaited: boolean } | undefined> {
    const { services, tree } = this.context;
    const configuration = services.configurations.current(tree.jobName);
    const isFailoverOn = failsOver(configuration);
    const { shardingTotalCount } = configuration;
    const items = tree.items().filter((item) => !isFailoverOn || item >= shardingTotalCount);
    const records = await tree.loadRecords(items, { signal });
    const runs = records?.map((record, at) => {
      const item = items[at]!;
      return {
        item,
        stored: record?.stored ?? { kind: 'none' as const },
        isHeld: tree.isMarked(item) || tree.isQueued(item),
      };
    });
    const isLost = (id: string) => this.lost.has(id) || (this.areAllLost && !tree.hasInstance(id));
    return runs && findCutShort(runs, isLost, { isFailoverOn, shardingTotalCount });
  }
}
