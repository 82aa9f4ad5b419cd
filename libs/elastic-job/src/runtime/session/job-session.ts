import type { Clock } from '../../clock/index.js';
import type {
  AssignedTrigger,
  CoordinationServices,
  ExecutionLease,
  JobTree,
  JobTreeEvent,
} from '../../coordination/index.js';
import { type ElasticJobListener, formatTaskId, type JobHandler, type Trigger } from '../../domain/index.js';
import type { JobErrorHandlers, JobExecutor } from '../../executor/index.js';
import type { JobEvents } from '../../tracing/index.js';
import {
  Cancellations,
  CatchUp,
  DependencyStarts,
  DueFireTimes,
  FailoverClaims,
  LeaderDuties,
  ManualTriggers,
  MissedRuns,
  OperatorSwitches,
  OwnMarks,
  ResidentItems,
} from '../duties/index.js';
import {
  type JobSettings,
  LeaseRunner,
  type NotedSpan,
  type Reaction,
  registryReaction,
  type RunningItems,
  type ScheduleClock,
  TriggerGate,
} from '../leases/index.js';

/** What a session of a job works with. */
export interface JobSessionParts {
  readonly tree: JobTree;
  readonly services: CoordinationServices;
  readonly executor: JobExecutor;
  readonly errorHandlers: JobErrorHandlers;
  readonly events: JobEvents;
  readonly clock: Clock;
  /** Judges whether a fire time has come. */
  readonly scheduleClock: ScheduleClock;
  readonly handler: JobHandler;
  readonly listeners: readonly ElasticJobListener[];
  /** Shared by all sessions of the job: a handler that outlives its session still occupies its item. */
  readonly running: RunningItems;
  readonly settings: JobSettings;
  readonly reshardDelayMs: number;
  /** When fire times were nobody's to run here; undefined: nothing is made up for now. */
  forgiven(): readonly NotedSpan[] | undefined;
  /** Nobody began them in time, and nobody will. @param count fire times, times items */
  onMissed(count: number): void;
  /** False: no fire time will come here by itself. */
  isTicking(): boolean;
  /** An item that outlived this session has ended. */
  onOutlived(): void;
  /** Tells what has failed, unless the session is over. */
  report(work: string): (error: unknown) => void;
}

/**
 * One job during one session: turns ticks, releases and orphans into leases, and runs them. Everything here ends with
 * the tree's signal.
 */
export class JobSession {
  private readonly gate: TriggerGate;
  private readonly switches: OperatorSwitches;
  private readonly leases: LeaseRunner;
  private readonly duties: LeaderDuties;
  private readonly catchUp: CatchUp;
  private readonly claims: FailoverClaims;
  private readonly manual: ManualTriggers;
  private readonly cancellations: Cancellations;
  private readonly residents: ResidentItems;
  private readonly starts: DependencyStarts;
  private readonly servers: Reaction;
  private readonly marks: OwnMarks;

  constructor(private readonly parts: JobSessionParts) {
    const { tree, services, settings, events, clock, scheduleClock } = parts;
    this.gate = new TriggerGate(tree, settings, events, clock);
    this.switches = new OperatorSwitches(tree, scheduleClock, events);
    this.cancellations = new Cancellations(parts);
    const due = new DueFireTimes({ ...parts, switches: this.switches });
    const missed = new MissedRuns({ ...parts, gate: this.gate, due });
    this.leases = new LeaseRunner({
      ...parts,
      mayBegin: () => this.gate.mayBegin,
      onRun: (lease) => this.cancellations.onRun(lease),
      onBegun: (trigger, former) => missed.passedBy(trigger, former),
      onRefused: (refused) => this.claims.afterRefusal(refused),
      onItemEnded: (trigger, item) => this.afterItem(trigger, item),
    });
    this.duties = new LeaderDuties(tree, services, events, clock, parts, parts.report('leading the job'));
    const { gate, leases } = this;
    const isAwaited = (item: number) => this.manual.isAwaited(item);
    this.catchUp = new CatchUp({ ...parts, gate, leases, due, missed, isAwaited });
    this.claims = new FailoverClaims({ ...parts, gate, leases, onClaimed: () => this.manual.beginReleased() });
    const assign = (trigger: Trigger) => this.assignManual(trigger);
    this.manual = new ManualTriggers({ ...parts, leases, assign, onBegun: () => this.catchUp.resume() });
    this.residents = new ResidentItems({ ...parts, leases, gate });
    this.starts = new DependencyStarts({ ...parts, begin: (fireTime) => this.beginStart(fireTime) });
    const keep = () => services.servers.keep(tree);
    this.servers = registryReaction(tree, clock, keep, parts.report('keeping the server node'));
    const onSweepDue = () => this.duties.sweepSoon();
    this.marks = new OwnMarks({ ...parts, onReleased: () => this.lookAgain(), onSweepDue });
    tree.on((event) => this.hear(event));
  }

  get tree(): JobTree {
    return this.parts.tree;
  }

  /** What keeps this session from running the job, if anything. */
  get problem(): Error | undefined {
    return this.gate.problem;
  }

  /** Resolves when the job has a leader and this instance knows what it owes. */
  async start(): Promise<void> {
    this.switches.lookAtServer();
    this.servers.wake();
    await this.duties.start();
    this.manual.start();
    this.starts.open();
    this.marks.start();
    this.lookAgain();
  }

  /** Looks for what this instance owes or was asked for, and for items to take. */
  lookAgain(): void {
    this.catchUp.wake();
    this.claims.wake();
    this.residents.wake();
    this.manual.beginReleased();
  }

  /** A Java peer has joined: what nobody has a record of is its own to run. */
  leaveToPeers(): void {
    this.catchUp.leaveToPeers();
  }

  /** Begins nothing more, of whatever kind. What runs goes on. */
  close(): void {
    this.gate.close();
    this.duties.stop();
    this.catchUp.stop();
    this.claims.stop();
    this.manual.stop();
    this.residents.stop();
    this.starts.stop();
    this.servers.stop();
    this.marks.stop();
  }

  /** Tells the items to end that would run for ever. After `close`. */
  endResidents(): void {
    this.residents.end();
  }

  /**
   * One fire time, if it has come by the registry's clock too: assign, begin, run. Resolves when what was begun has
   * ended.
   */
  async tick(fireTime: number): Promise<void> {
    if (!(await this.parts.scheduleClock.hasCome(fireTime))) return;
    const lease = await this.beginAt(fireTime);
    if (lease !== undefined) await this.leases.run(lease);
  }

  /** One start after other jobs: as a tick, but what was begun is not waited for. */
  private async beginStart(fireTime: number): Promise<void> {
    const isPaused = this.parts.forgiven() === undefined;
    // The settings may have changed, and what is left of the former ones goes with the leader's next look.
    const isStartedAfter = this.parts.settings.configuration.after.length > 0;
    const lease = isStartedAfter && !isPaused ? await this.beginAt(fireTime) : undefined;
    if (lease !== undefined) this.leases.start(lease, 'a start');
  }

  private async beginAt(fireTime: number): Promise<ExecutionLease | undefined> {
    if (!this.gate.mayBegin) return undefined;
    const { jobName } = this.tree;
    const trigger: Trigger = { jobName, fireTime, origin: 'schedule', source: 'NORMAL_TRIGGER' };
    return this.catchUp.whileHandling(fireTime, () => this.beginScheduled(trigger));
  }

  /** Claims some waiting items and runs them. @returns the lease, whose `settled()` tells the outcomes */
  claim(): Promise<ExecutionLease | 'lost' | 'empty'> {
    return this.claims.claim();
  }

  private hear(event: JobTreeEvent): void {
    this.duties.hear(event);
    this.manual.hear(event);
    this.cancellations.hear(event);
    this.switches.hear(event);
    this.residents.hear(event);
    this.starts.hear(event);
    this.marks.hear(event);
    const { tree } = this;
    switch (event.kind) {
      case 'ServerChanged':
        if (event.serverIp !== tree.self.serverIp) return;
        this.servers.wake();
        this.claims.wake(); // A server that was disabled has claimed nothing.
        return this.catchUp.wake();
      case 'ItemSwitched':
        // What came while it was disabled is noted as nobody's debt.
        if (tree.owner(event.item) === tree.self.jobInstanceId) this.catchUp.wake();
        return;
      case 'TreeReset':
        this.servers.wake();
        return this.lookAgain();
      case 'ShardingCompleted':
        return this.lookAgain();
      case 'InstanceLost':
        // What it may still have been at can be claimed now.
        if (tree.queue().length > 0) this.claims.wake();
        return;
      case 'ItemQueued':
        return this.claims.wake();
      case 'TurnChanged':
        // A fire time that came between the last run and this news was nobody's.
        if (this.parts.services.sharding.ownItems(tree).length > 0) this.catchUp.wake();
        return;
      case 'ItemReleased':
        if (tree.queue().includes(event.item)) this.claims.wake();
        if (tree.owner(event.item) === tree.self.jobInstanceId && !this.parts.running.has(event.item)) {
          this.catchUp.wake();
        }
        return;
      default:
    }
  }

  /** Begins what is free of the items; what still runs is marked as misfired. */
  private async beginScheduled(trigger: Trigger): Promise<ExecutionLease | undefined> {
    const { events, running } = this.parts;
    if (await this.gate.refuses(trigger)) return undefined;
    const { items } = await this.assign(trigger);
    if (!this.gate.mayBegin) return undefined;
    this.tellTriggered(trigger, items);
    if (items.length === 0) return undefined;
    const { ready, behind } = await this.catchUp.inOrder(
      trigger,
      items.filter((item) => !running.has(item)),
    );
    if (behind.length > 0) events.emit({ kind: 'refused', trigger, items: behind, cause: 'behind' });
    const free = ready.filter((item) => !running.has(item));
    const held = items.filter((item) => !free.includes(item) && !behind.includes(item));
    if (held.length > 0) events.emit({ kind: 'refused', trigger, items: held, cause: 'still running' });
    const { blocked, lease, refused } = await this.leases.begin(trigger, free);
    if (blocked !== undefined) {
      this.catchUp.owe(trigger.fireTime);
      events.emit({ kind: 'refused', trigger, items: blocked.items, cause: 'no access' });
    }
    for (const [item, cause] of refused) events.emit({ kind: 'refused', trigger, items: [item], cause });
    const stillRunning = [...held, ...free.filter((item) => refused.get(item) === 'busy')];
    // Not awaited: what has been begun must not wait for what has not.
    this.catchUp.misfire(stillRunning).catch(this.parts.report('marking misfired items'));
    return lease;
  }

  /** What an operator's trigger is to run here; undefined: nothing. Resharding is waited for, as by any trigger. */
  private async assignManual(trigger: Trigger): Promise<readonly number[] | undefined> {
    if (this.gate.refusesResident(trigger)) return undefined;
    if (await this.gate.refuses(trigger)) return undefined;
    const { items } = await this.assign(trigger);
    if (this.gate.refusesServer(trigger)) return undefined;
    this.tellTriggered(trigger, items);
    return items;
  }

  private tellTriggered(trigger: Trigger, items: readonly number[]): void {
    const { jobName, self } = this.tree;
    const taskId = formatTaskId(jobName, items, self.jobInstanceId);
    this.parts.events.emit({ kind: 'triggered', trigger, taskId, items });
  }

  private async assign(trigger: Trigger): Promise<AssignedTrigger> {
    const { sharding } = this.parts.services;
    const assigned = await this.duties.whileTriggered(() => sharding.assign(trigger, this.tree.signal));
    const { jobName, fireTime } = trigger;
    if (assigned.isOutdated) this.parts.events.emit({ kind: 'sharding-timeout', jobName, fireTime });
    return assigned;
  }

  // From memory only: in steady state a trigger ends with its settle.
  private afterItem(trigger: Trigger, item: number): void {
    const { tree } = this;
    if (tree.signal.aborted) return this.parts.onOutlived();
    this.manual.beginReleased();
    const isMisfired = tree.has(tree.paths.mark(item, 'misfire'));
    const isOneOfMany = trigger.source === 'MISFIRE' && this.parts.settings.configuration.misfirePolicy === 'all';
    if (isMisfired || isOneOfMany || trigger.source === 'FAILOVER') this.catchUp.wake();
    else this.catchUp.resume();
    if (tree.queue().length > 0) this.claims.wake();
  }
}
