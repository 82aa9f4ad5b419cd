import type { BegunExecution, Executions } from '../../coordination/index.js';
import type { Trigger } from '../../domain/index.js';
import type { NewsFeed } from '../news/index.js';
import type { Punctuality } from './punctuality.js';
import type { RegistryTurns } from '../../turns/index.js';
import type { RunningItems } from './running-items.js';
import type { TriggerGate } from './trigger-gate.js';

/** Begins the leases of one job and session, from any source. */
export class LeaseBegins {
  constructor(
    private readonly gate: Pick<TriggerGate, 'mayBegin'>,
    private readonly executions: Executions,
    private readonly running: RunningItems,
    private readonly news: NewsFeed,
    private readonly punctuality: Punctuality,
    private readonly registryTurns: RegistryTurns | undefined,
  ) {}

  /**
   * Begins the items that may begin, when it is the job's turn; none once this instance leaves. Items that were begun
   * must be run.
   */
  begin(trigger: Trigger, items: readonly number[]): Promise<BegunExecution> {
    const { registryTurns } = this;
    if (registryTurns === undefined) return this.beginNow(trigger, items);
    return registryTurns.run(items.length, () => this.beginNow(trigger, items));
  }

  private async beginNow(trigger: Trigger, items: readonly number[]): Promise<BegunExecution> {
    const { news, running } = this;
    // The caller may have waited since its decision, for a sync or a record, and the drain waits only for begins that
    // it sees.
    if (!this.gate.mayBegin) return { lease: undefined, refused: new Map(), former: new Map() };
    const begun = await running.expect(() => this.executions.begin({ trigger, items }, running));
    this.punctuality.noteBegun(trigger, begun);
    news.tell({ kind: 'ItemsBegun', trigger, former: begun.former });
    if (begun.refused.size > 0) news.tell({ kind: 'ItemsRefused', refused: begun.refused });
    return begun;
  }
}
