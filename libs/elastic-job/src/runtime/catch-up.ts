import type { Clock } from '../clock/index.js';
import { type JobTree, untilAnswered } from '../coordination/index.js';
import { isOwedFireTime, type RefusalCause, type Trigger } from '../domain/index.js';
import type { JobEvents } from '../tracing/index.js';
import type { CoordinationServices } from './coordination-services.js';
import type { JobSettings } from './job-settings.js';
import type { LeaseRunner } from './lease-runner.js';
import type { OperatorSwitches } from './operator-switches.js';
import { type Reaction, registryReaction } from './reaction.js';
import type { RunningItems } from './running-items.js';
import type { TriggerGate } from './trigger-gate.js';

/** What making up for fire times needs of a job's session. */
export interface CatchUpParts {
  readonly tree: JobTree;
  readonly services: CoordinationServices;
  readonly events: JobEvents;
  readonly clock: Clock;
  readonly settings: JobSettings;
  readonly running: RunningItems;
  readonly leases: LeaseRunner;
  readonly gate: TriggerGate;
  readonly switches: OperatorSwitches;
  /** Fire times before this instant are nobody's debt; undefined: nothing is made up for now. */
  owedSince(): number | undefined;
  /** Tells what has failed. */
  report(work: string): (error: unknown) => void;
}

/** Runs the items that this instance owns and owes a fire time, or that a trigger met while they still ran. */
export class CatchUp {
  private readonly looking: Reaction;
  /** The fire time that is being assigned and begun. */
  private handling: number | undefined;
  /** Something may be owed that the trigger under way does not know of. */
  private isDue = false;

  constructor(private readonly parts: CatchUpParts) {
    this.looking = registryReaction(parts.tree, parts.clock, () => this.look(), parts.report('catching up'));
  }

  /** Something may be owed. */
  wake(): void {
    this.looking.wake();
  }

  /** Begins nothing more. */
  stop(): void {
    this.looking.stop();
  }

  /** Begins a fire time, for which nothing is made up meanwhile; but afterwards if that fails. */
  async whileHandling<T>(fireTime: number, begin: () => Promise<T>): Promise<T> {
    this.handling = fireTime;
    try {
      return await begin();
    } catch (error) {
      this.isDue = true;
      throw error;
    } finally {
      if (this.handling === fireTime) this.handling = undefined;
      if (this.isDue) this.wake();
    }
  }

  /** Notes in the registry that a trigger has met items which still ran: whoever ends them owes them one run more. */
  async misfire(items: readonly number[]): Promise<void> {
    const { clock, events, running, services, settings, tree } = this.parts;
    if (items.length === 0 || !settings.configuration.misfire) return;
    await untilAnswered(tree, clock, () => services.executions.markMisfired(tree.jobName, items));
    events.emit({ kind: 'misfired', jobName: tree.jobName, items });
    // An item that ended while its flag was being set has nobody left to tell.
    if (items.some((item) => !running.has(item))) this.wake();
  }

  private async look(): Promise<void> {
    const { leases, services, tree } = this.parts;
    await tree.sync({ signal: tree.signal });
    this.isDue = false;
    const fireTime = this.latestOwed();
    if (fireTime === undefined) return;
    // The trigger of this very fire time is under way, on the assignment that it has seen.
    if (fireTime === this.handling) return void (this.isDue = true);
    const own = services.sharding.ownItems(tree);
    if (!(await tree.loadRecords(own, { signal: tree.signal }))) return this.wake();
    const items = own.filter((item) => this.isOwed(item, fireTime));
    if (items.length === 0) return;
    const trigger: Trigger = { jobName: tree.jobName, fireTime, origin: 'schedule', source: 'MISFIRE' };
    const { lease, refused } = await leases.begin(trigger, items);
    // Not awaited: an item that is released meanwhile must not wait for this run.
    if (lease !== undefined) leases.start(lease, 'a misfired item');
    await services.executions.clearMisfires(tree.jobName, itemsRefusedFor('alreadyBegun', refused));
  }

  /** The last fire time that somebody may owe; undefined if nothing is made up for now. */
  private latestOwed(): number | undefined {
    const { clock, gate, settings, switches, tree } = this.parts;
    const { misfire, monitorExecution } = settings.configuration;
    const since = this.parts.owedSince();
    const isPossible = misfire && monitorExecution && gate.mayBeginUnasked && gate.problem === undefined;
    if (!isPossible || since === undefined) return undefined;
    // Beside Java an item is not kept longer than its run: the leader waits for it.
    if (tree.isMixed() && tree.isReshardingPending()) return undefined;
    const after = Math.max(since, settings.writtenAt, switches.serverEnabledAt, gate.skippedUntil);
    return settings.schedule?.latest(clock.wallNow(), after);
  }

  private isOwed(item: number, fireTime: number): boolean {
    const { running, switches, tree } = this.parts;
    const stored = tree.record(item)?.stored;
    if (stored === undefined || running.has(item) || tree.isRunning(item)) return false;
    if (fireTime <= switches.itemEnabledAt(item)) return false;
    const isMisfired = tree.has(tree.paths.mark(item, 'misfire'));
    // Of what Java peers have run there is no record; only the flag tells.
    return isMisfired || (!tree.isMixed() && isOwedFireTime(stored, fireTime));
  }
}

function itemsRefusedFor(cause: RefusalCause, refused: ReadonlyMap<number, RefusalCause>): number[] {
  return [...refused].filter(([, candidate]) => candidate === cause).map(([item]) => item);
}
