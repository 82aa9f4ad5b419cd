import type { Clock } from '../clock/index.js';
import type { JobTree, JobTreeEvent, ServerStatus } from '../coordination/index.js';
import type { JobEvents } from '../tracing/index.js';

/**
 * What operators have switched off, and since when it may run again: what came due in between is nobody's debt. Of items
 * that is known as far as this session has seen it, of the server the registry knows it.
 */
export class OperatorSwitches {
  private disabledItems: ReadonlySet<number>;
  private readonly itemsEnabledAt = new Map<number, number>();
  private serverStatus: ServerStatus | undefined = 'ENABLED';

  constructor(
    private readonly tree: JobTree,
    private readonly clock: Clock,
    private readonly events: JobEvents,
  ) {
    this.disabledItems = this.currentItems();
  }

  /** When this instance's server was enabled, in milliseconds since the epoch; 0 if it always was. */
  get serverEnabledAt(): number {
    const stat = this.tree.stat(this.tree.paths.server(this.tree.self.serverIp));
    // The first state of a server is no change of it.
    return stat !== undefined && stat.version > 0 ? stat.mtime : 0;
  }

  /** When the item was enabled, in milliseconds since the epoch; 0 if it always was. */
  itemEnabledAt(item: number): number {
    return this.itemsEnabledAt.get(item) ?? 0;
  }

  hear({ kind }: JobTreeEvent): void {
    if (kind === 'ItemSwitched' || kind === 'TreeReset') this.lookAtItems();
    if (kind === 'ServerChanged' || kind === 'TreeReset') this.lookAtServer();
  }

  /** Tells of this instance's server if its state is another one than last told; at first, if it is not enabled. */
  lookAtServer(): void {
    const { jobName, self } = this.tree;
    const status = this.tree.serverStatus(self.serverIp);
    if (status === this.serverStatus) return;
    this.serverStatus = status;
    this.events.emit({ kind: 'server-switched', jobName, serverIp: self.serverIp, status });
  }

  private lookAtItems(): void {
    const before = this.disabledItems;
    this.disabledItems = this.currentItems();
    for (const item of before) {
      if (!this.disabledItems.has(item)) this.itemsEnabledAt.set(item, this.clock.wallNow());
    }
  }

  private currentItems(): ReadonlySet<number> {
    const { tree } = this;
    return new Set(tree.items().filter((item) => tree.has(tree.paths.mark(item, 'disabled'))));
  }
}
