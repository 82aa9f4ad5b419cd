import type { JobTree, ServerStatus } from '../../coordination/index.js';
import { SparseMap } from '../../domain/index.js';
import type { NodeStat } from '../../registry/index.js';
import type { JobEvents } from '../../tracing/index.js';
import { type Instant, instantNow, type NotedSpan, spanUntil, UNKNOWN, type ScheduleClock } from '../time/index.js';
import { type News } from '../news/index.js';

/** Earlier spans are not needed, since their fire times were begun or given up when the item was enabled. */
const MOST_SPANS = 10;

/**
 * Items and server that operators have disabled, and from when to when: fire times in between are not owed. For items
 * it is known as far as this session has seen it; for the server the registry knows it.
 */
export class OperatorSwitches {
  /** Start of the disabled span by item; undefined if it was before this session. */
  private readonly disabledItems = new SparseMap<number, Instant | undefined>();
  private readonly itemSpans = new SparseMap<number, readonly NotedSpan[]>();
  private serverStatus: ServerStatus | undefined = 'ENABLED';
  private serverDisabledAt = UNKNOWN;

  constructor(
    private readonly tree: JobTree,
    private readonly scheduleClock: ScheduleClock,
    private readonly events: JobEvents,
  ) {
    for (const item of tree.items()) if (this.isDisabled(item)) this.disabledItems.set(item, undefined);
  }

  itemSwitched({ item }: News<'ItemSwitched'>): void {
    this.readItemSwitch(item, instantNow(this.scheduleClock));
  }

  serverChanged(): void {
    this.readServerSwitch();
  }

  treeReset(): void {
    this.readItemSwitches();
    this.readServerSwitch();
  }

  /** Latest span in which this instance's server was disabled, if any; its start may be unknown here. */
  get serverSpan(): NotedSpan {
    // The first state of a server is not a change.
    const until = ((this.serverStat?.version ?? 0) > 0 ? this.serverChangedAt : undefined) ?? UNKNOWN;
    return spanUntil(until, this.serverDisabledAt.own < until.own ? this.serverDisabledAt : UNKNOWN);
  }

  /** Spans in which the item was disabled. */
  spansOf(item: number): readonly NotedSpan[] {
    return this.itemSpans.get(item) ?? [];
  }

  /**
   * Reports the state of this instance's server if it has changed since the last report; at first, if it is not
   * enabled.
   */
  readServerSwitch(): void {
    const { jobName, self } = this.tree;
    const status = this.tree.serverStatus(self.serverIp);
    if (status === this.serverStatus) return;
    this.serverStatus = status;
    if (status !== 'ENABLED') this.serverDisabledAt = this.serverChangedAt ?? instantNow(this.scheduleClock);
    this.events.emit({ kind: 'server-switched', jobName, serverIp: self.serverIp, status });
  }

  private readItemSwitches(): void {
    const now = instantNow(this.scheduleClock);
    for (const item of new Set([...this.disabledItems.keys(), ...this.tree.items()])) {
      this.readItemSwitch(item, now);
    }
  }

  // Looks at one item alone, since all items of a job may be switched in a row.
  private readItemSwitch(item: number, now: Instant): void {
    const isDisabled = this.isDisabled(item);
    if (isDisabled === this.disabledItems.has(item)) return;
    if (isDisabled) return void this.disabledItems.set(item, now);
    const span = spanUntil(now, this.disabledItems.get(item));
    this.disabledItems.delete(item);
    this.itemSpans.set(item, [...this.spansOf(item), span].slice(-MOST_SPANS));
  }

  private isDisabled(item: number): boolean {
    const { tree } = this;
    return tree.has(tree.paths.mark(item, 'disabled'));
  }

  private get serverChangedAt(): Instant | undefined {
    const stat = this.serverStat;
    return stat && this.scheduleClock.fromRegistry(stat.mtime);
  }

  private get serverStat(): NodeStat | undefined {
    return this.tree.stat(this.tree.paths.server(this.tree.self.serverIp));
  }
}
