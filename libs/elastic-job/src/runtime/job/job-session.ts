import type { ExecutionLease, JobTree } from '../../coordination/index.js';
import type { KnownListener } from '../../domain/index.js';
import type { JobExecutor } from '../../executor/index.js';
import { Cancellations, FailingItems, HandOvers, OwnMarks } from '../runs/index.js';
import {
  CatchUp,
  ManualTriggers,
  MisfireFlags,
  MissedFireTimes,
  OperatorSwitches,
  OwedFireTimes,
  Reruns,
  ResidentItems,
  TriggerPlan,
} from '../triggering/index.js';
import { FailoverClaims } from '../rescuing/index.js';
import { LeaderDuties } from '../leading/index.js';
import { KeptNodes } from './kept-nodes.js';
import { type JobSchedule, type JobSettings, type JobWork } from '../settings/index.js';
import {
  leaseListeners,
  Leases,
  type ProcessContext,
  RunReports,
  type RunningItems,
  TriggerGate,
} from '../runs/index.js';
import { type Report } from '../news/index.js';
import { type ScheduleClock } from '../time/index.js';
import { DependencyStarts } from '../triggering/index.js';
import { LatestTick } from '../triggering/index.js';
import { type Duties, SessionNews, type SessionJob } from './session-news.js';
import { Tick } from '../triggering/index.js';

/** Parts of a job that outlive its sessions. */
interface LastingParts {
  readonly work: JobWork;
  readonly settings: JobSettings;
  readonly schedule: JobSchedule;
  /** A handler that outlives its session still occupies its item. */
  readonly running: RunningItems;
  readonly executor: JobExecutor;
  readonly listeners: readonly KnownListener[];
  /** True for a job created from a template. What it writes waits for its turn; the code's jobs wait for none. */
  readonly isCreated: boolean;
}

/**
 * One job during one session: its ticks and its duties, which receive the events of the tree. Everything here ends with
 * the tree's signal.
 */
export class JobSession {
  private readonly gate: TriggerGate;
  private readonly leases: Leases;
  private readonly ticks: Tick;
  private readonly flags: MisfireFlags;
  private readonly owed: OwedFireTimes;
  /** Set for a job whose begins wait for their turns. */
  private readonly latest: LatestTick | undefined;
  private readonly duties: Duties;
  private readonly news: SessionNews;
  private readonly scheduleClock: ScheduleClock;

  /** @param report reports failures until the session is over */
  constructor(
    readonly tree: JobTree,
    shared: ProcessContext,
    job: LastingParts,
    receiver: SessionJob,
    private readonly report: Report,
  ) {
    const news = (this.news = new SessionNews(receiver));
    const beginning = createLeases(tree, shared, job, news, report);
    const ticking = createTicks(tree, shared, job, beginning, news, report);
    this.scheduleClock = shared.scheduleClock;
    this.gate = beginning.gate;
    this.leases = beginning.leases;
    this.owed = ticking.owed;
    this.flags = ticking.flags;
    this.ticks = ticking.ticks;
    this.latest = job.isCreated ? new LatestTick() : undefined;
    this.duties = createDuties(tree, shared, job, beginning, ticking, news, report);
    news.open(this.duties);
    tree.on((event) => news.emit(event));
  }

  /** Problem that keeps this session from running the job, if any. */
  get problem(): Error | undefined {
    return this.gate.timeCheck.problem;
  }

  /** Longest time for which each run of an item has failed here. @see FailingItems */
  get failingForMs(): number {
    return this.duties.failing.longestMs;
  }

  /** Resolves when the job has a leader and this instance knows what it owes. */
  async start(): Promise<void> {
    const { leader, manual, marks, nodes, starts, switches } = this.duties;
    switches.readServerSwitch();
    nodes.start();
    await leader.start();
    manual.start();
    starts.open();
    marks.compareLater();
    this.expectWork();
  }

  /** Looks for owed fire times, operators' triggers and items to claim. */
  expectWork(): void {
    this.news.emit({ kind: 'WorkExpected' });
  }

  /** Leaves refused fire times to a Java peer that has joined, as its runs have no record. */
  leaveToPeers(): void {
    this.owed.leaveToPeers();
  }

  /** Begins nothing more, of any kind. Running items go on. */
  close(): void {
    this.gate.close();
    const { catchUp, claims, leader, manual, marks, nodes, reruns, residents, starts } = this.duties;
    const { flags } = this;
    for (const part of [leader, nodes, catchUp, flags, claims, manual, reruns, residents, starts, marks]) part.stop();
  }

  /** Aborts resident items, which would run for ever otherwise. Call it after `close`. */
  endResidents(): void {
    this.duties.residents.end();
  }

  /**
   * Handles one fire time, if it has come by the registry's clock too. Resolves when its run has ended.
   * @param cameAt moment on the monotonic clock at which it came. @default now
   * @returns false if it is still to come by the registry's clock
   */
  async tick(fireTime: number, cameAt?: number): Promise<boolean> {
    const hasCome = this.scheduleClock.hasCome(fireTime);
    if (hasCome !== true && !(await hasCome)) return false;
    const { latest } = this;
    const lease = await (latest === undefined
      ? this.ticks.begin(fireTime, cameAt)
      : this.beginLatest(latest, fireTime, cameAt));
    if (lease !== undefined) await this.leases.run(lease);
    return true;
  }

  private beginLatest(
    latest: LatestTick,
    fireTime: number,
    cameAt: number | undefined,
  ): Promise<ExecutionLease | undefined> {
    const later = () => void this.tick(fireTime, cameAt).catch(this.report('a trigger'));
    return latest.begin(() => this.ticks.begin(fireTime, cameAt), later);
  }

  /** Claims some waiting items and runs them. @returns the lease, whose `settled()` gives the outcomes */
  claim(): Promise<ExecutionLease | 'lost' | 'empty'> {
    return this.duties.claims.claim();
  }
}

/** Parts that begin leases and run them. */
function createLeases(tree: JobTree, process: ProcessContext, job: LastingParts, news: SessionNews, report: Report) {
  const { events, options, registryTurns, services } = process;
  const { executor, isCreated, listeners, running, settings } = job;
  const { hungGraceMs } = options;
  const turns = isCreated ? registryTurns : undefined;
  const gate = new TriggerGate(tree, settings, events);
  const reports = new RunReports(tree, settings, running, news, process, report);
  const called = leaseListeners(listeners, { tree, guarantee: services.guarantee, executor, hungGraceMs, reports });
  const leases = new Leases(tree, services, job, gate, reports, called, turns);
  return { gate, leases };
}

/** Ticks, and the duties that they need. */
function createTicks(
  tree: JobTree,
  process: ProcessContext,
  { isCreated, schedule, settings }: LastingParts,
  { gate, leases }: ReturnType<typeof createLeases>,
  news: SessionNews,
  report: Report,
) {
  const { events, registryTurns, scheduleClock: time, services } = process;
  const { executions, sharding } = services;
  const turns = isCreated ? registryTurns : undefined;
  const leader = new LeaderDuties(tree, process, schedule, turns, report);
  const switches = new OperatorSwitches(tree, time, events);
  const owed = new OwedFireTimes(tree, settings, schedule, time, switches, gate);
  const missed = new MissedFireTimes(tree, settings, events, news, gate, owed);
  const plan = new TriggerPlan(tree, sharding, events, leader);
  const manual = new ManualTriggers(tree, gate, plan, leases, events, news, report);
  const catchUp = new CatchUp(tree, services, leases, owed, missed, manual, report);
  const onFlagged = (items: readonly number[]) => catchUp.flagged(items);
  const flags = new MisfireFlags(tree, settings, executions, events, turns, report, onFlagged);
  const ticks = new Tick(tree.jobName, events, gate, plan, catchUp, leases, flags);
  const reruns = new Reruns(tree, sharding, settings, gate, leases, owed, catchUp, manual, report);
  return { leader, switches, owed, missed, manual, catchUp, reruns, flags, ticks };
}

function createDuties(
  tree: JobTree,
  { events, options, scheduleClock, services }: ProcessContext,
  { running, schedule, settings, work }: LastingParts,
  { gate, leases }: ReturnType<typeof createLeases>,
  { catchUp, leader, manual, missed, reruns, switches, ticks }: ReturnType<typeof createTicks>,
  news: SessionNews,
  report: Report,
): Duties {
  const { hungGraceMs } = options;
  const { queue, sharding } = services;
  return {
    leader,
    switches,
    nodes: new KeptNodes(tree, services, scheduleClock, report),
    failing: new FailingItems(tree),
    missed,
    catchUp,
    claims: new FailoverClaims(tree, queue, settings, work.tasks, leases, news, report),
    manual,
    reruns,
    residents: new ResidentItems(tree, sharding, settings, gate, leases, hungGraceMs, report),
    starts: new DependencyStarts(tree, settings, schedule, report, ticks, leases),
    cancellations: new Cancellations(tree, running, events, report),
    handOvers: new HandOvers(tree, running, work),
    marks: new OwnMarks(tree, services.executions, running, events, news, report),
  };
}
