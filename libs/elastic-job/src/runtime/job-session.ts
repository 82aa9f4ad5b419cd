import type { Clock } from '../clock/index.js';
import {
  type AssignedTrigger,
  type ExecutionLease,
  type JobTree,
  type JobTreeEvent,
  untilAnswered,
} from '../coordination/index.js';
import {
  type ElasticJobListener,
  goesRound,
  isOwedFireTime,
  type JobConfiguration,
  type JobHandler,
  type RefusalCause,
  type Trigger,
} from '../domain/index.js';
import { type JobExecutor, JobListeners } from '../executor/index.js';
import type { JobEvents } from '../tracing/index.js';
import type { CoordinationServices } from './coordination-services.js';
import type { JobSettings } from './job-settings.js';
import { LeaderDuties } from './leader-duties.js';
import { ManualTriggers } from './manual-triggers.js';
import { OperatorSwitches } from './operator-switches.js';
import { Reaction } from './reaction.js';
import type { RunningItems } from './running-items.js';
import { TimeCheck } from './time-check.js';

/** A busy instance leaves an orphan to an idle one for this long. */
const BUSY_CLAIM_DELAY_MS = 200;

/** What a session of a job works with. */
export interface JobSessionParts {
  readonly tree: JobTree;
  readonly services: CoordinationServices;
  readonly executor: JobExecutor;
  readonly events: JobEvents;
  readonly clock: Clock;
  readonly handler: JobHandler;
  readonly listeners: readonly ElasticJobListener[];
  /** Shared by all sessions of the job: a handler that outlives its session still occupies its item. */
  readonly running: RunningItems;
  readonly settings: JobSettings;
  readonly reshardDelayMs: number;
  /** Fire times before this instant are nobody's debt; undefined: nothing is made up for now. */
  owedSince(): number | undefined;
  /** The settings by which Java peers of the job decide otherwise; none without such peers. */
  unshareable(): readonly string[];
  /** False: no fire time will come here by itself. */
  isTicking(): boolean;
  /** An item that outlived this session has ended. */
  onOutlived(): void;
  onError(message: string, error: unknown): void;
}

/**
 * One job during one session: turns ticks, releases and orphans into leases, and runs them. Everything here ends with the
 * tree's signal.
 */
export class JobSession {
  private readonly duties: LeaderDuties;
  private readonly catchUps: Reaction;
  private readonly claims: Reaction;
  private readonly manual: ManualTriggers;
  private readonly timeCheck: TimeCheck;
  private readonly switches: OperatorSwitches;
  private readonly servers: Reaction;
  /** Undefined: nobody has to be told. */
  private readonly listeners: JobListeners | undefined;
  /** The fire time that is being assigned and begun. */
  private handling: number | undefined;
  /** Something may be owed that the trigger under way does not know of. */
  private isCatchUpDue = false;
  private isAccepting = true;

  constructor(private readonly parts: JobSessionParts) {
    const { tree, services, events, clock } = parts;
    this.duties = new LeaderDuties(tree, services, events, clock, parts, this.report('leading the job'));
    const react = (work: () => Promise<void>, name: string) =>
      new Reaction(() => untilAnswered(tree, clock, work), this.report(name));
    this.catchUps = react(() => this.catchUp(), 'catching up');
    this.claims = react(() => this.claimAll(), 'claiming failover items');
    this.manual = new ManualTriggers({
      ...parts,
      assign: (trigger) => this.assignManual(trigger),
      run: (lease) => void this.run(lease).catch(this.report('running a trigger')),
    });
    this.timeCheck = new TimeCheck(tree, clock, events);
    this.switches = new OperatorSwitches(tree, clock, events);
    this.servers = react(() => services.servers.keep(tree), 'keeping the server node');
    if (parts.listeners.length > 0) {
      const enter = (lease: ExecutionLease) => services.guarantee.enter(tree, lease);
      this.listeners = new JobListeners(parts.listeners, enter, this.report('telling a listener'));
    }
    tree.on((event) => this.hear(event));
  }

  get tree(): JobTree {
    return this.parts.tree;
  }

  /** What keeps this session from running the job, if anything. */
  get problem(): Error | undefined {
    return this.timeCheck.problem;
  }

  private get configuration(): JobConfiguration {
    return this.parts.settings.configuration;
  }

  /** Resolves when the job has a leader and this instance knows what it owes. */
  async start(): Promise<void> {
    this.switches.lookAtServer();
    this.servers.wake();
    await this.duties.start();
    this.manual.start();
    this.lookAgain();
  }

  /** Looks for what this instance owes or was asked for, and for items to take. */
  lookAgain(): void {
    this.catchUps.wake();
    this.claims.wake();
    this.manual.beginReleased();
  }

  private get mayBegin(): boolean {
    return this.isAccepting && this.parts.settings.problem === undefined;
  }

  /** Begins nothing more, of whatever kind. What runs goes on. */
  close(): void {
    this.isAccepting = false;
    this.duties.stop();
    this.catchUps.stop();
    this.claims.stop();
    this.manual.stop();
    this.servers.stop();
  }

  /** One fire time: assign, begin, run. Resolves when what was begun has ended. */
  async tick(fireTime: number): Promise<void> {
    if (!this.mayBegin) return;
    const trigger: Trigger = { jobName: this.tree.jobName, fireTime, origin: 'schedule', source: 'NORMAL_TRIGGER' };
    if (this.isUnshareable(trigger)) return;
    this.handling = fireTime;
    let lease: ExecutionLease | undefined;
    try {
      if (await this.refusesTime(trigger)) return;
      const assigned = await this.assign(trigger);
      lease = await this.parts.running.expect(() => this.begin(assigned));
    } catch (error) {
      this.isCatchUpDue = true;
      throw error;
    } finally {
      if (this.handling === fireTime) this.handling = undefined;
      if (this.isCatchUpDue) this.catchUps.wake();
    }
    if (lease !== undefined) await this.run(lease);
  }

  /** Claims one waiting item and runs it. @returns the lease, whose `settled()` tells the outcome */
  async claim(): Promise<ExecutionLease | 'lost' | 'empty'> {
    if (!this.mayBegin || !this.isFailoverOn || this.parts.unshareable().length > 0) return 'empty';
    const lease = await this.parts.running.expect(() => this.beginClaimed());
    if (typeof lease === 'string') return lease;
    this.parts.events.emit({ kind: 'claimed', jobName: this.tree.jobName, items: lease.items, source: 'FAILOVER' });
    this.run(lease).catch(this.report('running a failover item'));
    return lease;
  }

  private async beginClaimed(): Promise<ExecutionLease | 'lost' | 'empty'> {
    const { clock, running, services } = this.parts;
    // Instances that look at the same time look at different items.
    const from = Math.floor(clock.random() * this.configuration.shardingTotalCount);
    const claim = await services.queue.claim(this.tree.jobName, from, (item) => running.has(item));
    if (claim.kind !== 'claimed') return claim.kind;
    running.add(claim.lease);
    return claim.lease;
  }

  private hear(event: JobTreeEvent): void {
    this.duties.hear(event);
    this.manual.hear(event);
    this.switches.hear(event);
    switch (event.kind) {
      case 'ServerChanged':
        if (event.serverIp === this.tree.self.serverIp) this.servers.wake();
        return;
      case 'TreeReset':
        this.servers.wake();
        return this.lookAgain();
      case 'ShardingCompleted':
        return this.lookAgain();
      case 'InstanceLost':
        // What it may still have been at can be claimed now.
        if (this.tree.queue().length > 0) this.claims.wake();
        return;
      case 'ItemQueued':
        return this.claims.wake();
      case 'TurnChanged':
        // A fire time that came between the last run and this news was nobody's.
        if (this.parts.services.sharding.ownItems(this.tree).length > 0) this.catchUps.wake();
        return;
      case 'ItemReleased':
        if (this.tree.queue().includes(event.item)) this.claims.wake();
        if (this.tree.owner(event.item) !== this.tree.self.jobInstanceId) return;
        if (!this.parts.running.has(event.item)) this.catchUps.wake();
        return;
      default:
    }
  }

  private async assign(trigger: Trigger): Promise<AssignedTrigger> {
    const { sharding } = this.parts.services;
    const assigned = await this.duties.whileTriggered(() => sharding.assign(trigger, this.tree.signal));
    const { jobName, fireTime } = trigger;
    if (assigned.isOutdated) this.parts.events.emit({ kind: 'sharding-timeout', jobName, fireTime });
    return assigned;
  }

  /** What an operator's trigger is to run here; undefined: nothing. Resharding is waited for, as by any trigger. */
  private async assignManual(trigger: Trigger): Promise<readonly number[] | undefined> {
    if (this.isUnshareable(trigger) || this.isUnusable(trigger) || (await this.refusesTime(trigger))) return undefined;
    const { items } = await this.assign(trigger);
    const { serverIp } = this.tree.self;
    const isDisabled = this.tree.serverStatus(serverIp) !== 'ENABLED';
    if (isDisabled) this.skip(trigger, `server ${serverIp} is disabled`);
    else this.parts.events.emit({ kind: 'triggered', trigger, items });
    return isDisabled ? undefined : items;
  }

  /** Begins what is free of the items; what still runs is marked as misfired. */
  private async begin({ trigger, items }: AssignedTrigger): Promise<ExecutionLease | undefined> {
    const { events, running, services } = this.parts;
    if (!this.mayBegin) return undefined;
    const free = items.filter((item) => !running.has(item));
    events.emit({ kind: 'triggered', trigger, items });
    if (items.length === 0) return undefined;
    const { lease, refused } = await services.executions.begin({ trigger, items: free });
    if (lease !== undefined) running.add(lease);
    for (const [item, cause] of refused) events.emit({ kind: 'refused', trigger, items: [item], cause });
    const stillRunning = items.filter((item) => !free.includes(item) || refused.get(item) === 'busy');
    // Not awaited: what has been begun must not wait for what has not.
    this.misfire(stillRunning).catch(this.report('marking misfired items'));
    return lease;
  }

  private async misfire(items: readonly number[]): Promise<void> {
    if (items.length === 0 || !this.configuration.misfire) return;
    const { clock, events, services } = this.parts;
    const { jobName } = this.tree;
    await untilAnswered(this.tree, clock, () => services.executions.markMisfired(jobName, items));
    events.emit({ kind: 'misfired', jobName, items });
    // An item that ended while its flag was being set has nobody left to tell.
    if (items.some((item) => !this.parts.running.has(item))) this.catchUps.wake();
  }

  private async run(lease: ExecutionLease): Promise<void> {
    const { clock, events, executor, handler, running } = this.parts;
    const { trigger } = lease;
    const begunAt = clock.monotonicNow();
    lease.onSettled((item, outcome) => {
      running.delete(item, lease);
      events.emit({ kind: 'settled', trigger, item, outcome, durationMs: clock.monotonicNow() - begunAt });
      this.afterItem(trigger, item);
    });
    events.emit({ kind: 'begun', trigger, items: lease.items });
    const told = await this.listeners?.before(lease, this.configuration);
    for await (const { item, outcome } of executor.run(lease, { configuration: this.configuration, handler })) {
      lease.settle(item, outcome);
    }
    await lease.settled();
    if (goesRound(this.configuration)) await this.passTurn();
    await told?.after();
  }

  private passTurn(): Promise<void> {
    const { clock, services } = this.parts;
    const pass = () => services.sharding.passTurn(this.tree);
    return untilAnswered(this.tree, clock, pass).catch(this.report('passing the turn on'));
  }

  // From memory only: in steady state a trigger ends with its settle.
  private afterItem(trigger: Trigger, item: number): void {
    if (this.tree.signal.aborted) return this.parts.onOutlived();
    this.manual.beginReleased();
    const isMisfired = this.tree.has(this.tree.paths.mark(item, 'misfire'));
    if (isMisfired || trigger.source === 'FAILOVER') this.catchUps.wake();
    if (this.tree.queue().length > 0) this.claims.wake();
  }

  /** Runs the items that this instance owns and owes a fire time, or that a trigger met while they still ran. */
  private async catchUp(): Promise<void> {
    await this.tree.sync({ signal: this.tree.signal });
    this.isCatchUpDue = false;
    const fireTime = this.latestOwed();
    if (fireTime === undefined) return;
    // The trigger of this very fire time is under way, on the assignment that it has seen.
    if (fireTime === this.handling) return void (this.isCatchUpDue = true);
    const { running, services } = this.parts;
    const own = services.sharding.ownItems(this.tree);
    if (!(await this.tree.loadRecords(own, { signal: this.tree.signal }))) return this.catchUps.wake();
    const items = own.filter((item) => this.isOwed(item, fireTime));
    if (items.length === 0) return;
    const trigger: Trigger = { jobName: this.tree.jobName, fireTime, origin: 'schedule', source: 'MISFIRE' };
    const refused = await running.expect(() => this.beginMisfired(trigger, items));
    await services.executions.clearMisfires(this.tree.jobName, keysWith(refused, 'alreadyBegun'));
  }

  private async beginMisfired(trigger: Trigger, items: readonly number[]): Promise<ReadonlyMap<number, RefusalCause>> {
    const { lease, refused } = await this.parts.services.executions.begin({ trigger, items });
    if (lease === undefined) return refused;
    this.parts.running.add(lease);
    // Not awaited: an item that is released meanwhile must not wait for this run.
    this.run(lease).catch(this.report('running a misfired item'));
    return refused;
  }

  /** The last fire time that somebody may owe; undefined if nothing is made up for now. */
  private latestOwed(): number | undefined {
    const { clock, settings } = this.parts;
    const { misfire, monitorExecution } = settings.configuration;
    const since = this.parts.owedSince();
    const isPossible = this.mayBegin && misfire && monitorExecution && this.parts.unshareable().length === 0;
    if (!isPossible || since === undefined || this.problem !== undefined) return undefined;
    // Beside Java an item is not kept longer than its run: the leader waits for it.
    if (this.tree.isMixed() && this.tree.isReshardingPending()) return undefined;
    const after = Math.max(since, settings.writtenAt, this.switches.serverEnabledAt, this.timeCheck.skippedUntil);
    return settings.schedule?.latest(clock.wallNow(), after);
  }

  private isOwed(item: number, fireTime: number): boolean {
    const stored = this.tree.record(item)?.stored;
    if (stored === undefined || this.parts.running.has(item) || this.tree.isRunning(item)) return false;
    if (fireTime <= this.switches.itemEnabledAt(item)) return false;
    const isMisfired = this.tree.has(this.tree.paths.mark(item, 'misfire'));
    // Of what Java peers have run there is no record; only the flag tells.
    return isMisfired || (!this.tree.isMixed() && isOwedFireTime(stored, fireTime));
  }

  private async claimAll(): Promise<void> {
    if (this.tree.queue().length === 0 || !this.isFailoverOn) return;
    if (this.parts.running.size > 0) await this.parts.clock.sleep(BUSY_CLAIM_DELAY_MS, this.tree.signal);
    while (this.hasFreeSlot()) {
      if ((await this.claim()) === 'empty') break;
    }
    this.manual.beginReleased(); // A claim may also have found that nothing is owed.
  }

  private get isFailoverOn(): boolean {
    return this.configuration.failover && this.configuration.monitorExecution;
  }

  private hasFreeSlot(): boolean {
    return this.parts.running.size < (this.configuration.concurrency ?? Infinity);
  }

  private isUnusable(trigger: Trigger): boolean {
    const { problem } = this.parts.settings;
    if (problem === undefined) return false;
    this.skip(trigger, 'the configuration in the registry cannot be used');
    return true;
  }

  private isUnshareable(trigger: Trigger): boolean {
    const settings = this.parts.unshareable();
    if (settings.length === 0) return false;
    this.skip(trigger, `not shared with ${this.tree.peers().join(', ')}: ${settings.join('; ')}`);
    return true;
  }

  /** Where this clock is not to be trusted nothing is run, nor made up for. */
  private refusesTime(trigger: Trigger): Promise<boolean> {
    return this.timeCheck.refuses(trigger, this.configuration.maxTimeDiffSeconds);
  }

  private skip(trigger: Trigger, reason: string): void {
    this.parts.events.emit({ kind: 'skipped', trigger, reason });
  }

  private report(work: string) {
    return (error: unknown): void => {
      if (!this.tree.signal.aborted) this.parts.onError(`${work} failed`, error);
    };
  }
}

function keysWith<K, V>(map: ReadonlyMap<K, V>, value: V): K[] {
  return [...map].filter(([, candidate]) => candidate === value).map(([key]) => key);
}
