import type { ExecutionLease, JobTree } from '../../coordination/index.js';
import {
  Cancellations,
  CatchUp,
  OwedFireTimes,
  FailingItems,
  FailoverClaims,
  HandOvers,
  KeptNodes,
  LeaderDuties,
  ManualTriggers,
  MissedFireTimes,
  OperatorSwitches,
  OwnMarks,
  ResidentItems,
  TriggerPlan,
} from '../duties/index.js';
import { type JobContext, LeaseRunner, TriggerGate } from '../leases/index.js';
import { DependencyStarts } from './dependency-starts.js';
import { LatestTick } from './latest-tick.js';
import type { Duties, SessionNews } from './session-news.js';
import { Tick } from './tick.js';

/**
 * One job during one session: its ticks and its duties, which hear the events of the tree. Everything here ends with
 * the tree's signal.
 */
export class JobSession {
  private readonly gate: TriggerGate;
  private readonly leases: LeaseRunner;
  private readonly ticks: Tick;
  /** Set for a job whose begins wait for their turns. */
  private readonly latest: LatestTick | undefined;
  private readonly duties: Duties;

  constructor(
    private readonly context: JobContext,
    news: SessionNews,
  ) {
    const gate = (this.gate = new TriggerGate(context));
    const leases = (this.leases = new LeaseRunner(context, gate));
    const leader = new LeaderDuties(context);
    const switches = new OperatorSwitches(context);
    const owed = new OwedFireTimes(context, switches);
    const missed = new MissedFireTimes(context, gate, owed);
    const plan = new TriggerPlan(context, leader);
    const manual = new ManualTriggers(context, gate, leases, plan);
    const catchUp = new CatchUp(context, gate, leases, owed, missed, manual);
    this.latest = context.registryTurns && new LatestTick();
    this.ticks = new Tick(context, gate, plan, catchUp, leases);
    this.duties = {
      leader,
      switches,
      nodes: new KeptNodes(context),
      failing: new FailingItems(context),
      missed,
      catchUp,
      claims: new FailoverClaims(context, gate, leases),
      manual,
      residents: new ResidentItems(context, gate, leases),
      starts: new DependencyStarts(context, this.ticks, leases),
      cancellations: new Cancellations(context),
      handOvers: new HandOvers(context),
      marks: new OwnMarks(context),
    };
    news.open(this.duties);
    context.tree.on((event) => news.tell(event));
  }

  get tree(): JobTree {
    return this.context.tree;
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
    this.context.news.tell({ kind: 'WorkExpected' });
  }

  /** Leaves refused fire times to a Java peer that has joined, as its runs have no record. */
  leaveToPeers(): void {
    this.duties.catchUp.leaveToPeers();
  }

  /** Begins nothing more, of any kind. Running items go on. */
  close(): void {
    this.gate.close();
    const { catchUp, claims, leader, manual, marks, nodes, residents, starts } = this.duties;
    for (const duty of [leader, nodes, catchUp, claims, manual, residents, starts, marks]) duty.stop();
  }

  /** Tells resident items to end, as they would run for ever. Call it after `close`. */
  endResidents(): void {
    this.duties.residents.end();
  }

  /**
   * Handles one fire time, if it has come by the registry's clock too. Resolves when its run has ended.
   * @param cameAt moment on the monotonic clock at which it came. @default now
   * @returns false if it is still to come by the registry's clock
   */
  async tick(fireTime: number, cameAt?: number): Promise<boolean> {
    const hasCome = this.context.scheduleClock.hasCome(fireTime);
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
    const later = () => void this.tick(fireTime, cameAt).catch(this.context.report('a trigger'));
    return latest.begin(() => this.ticks.begin(fireTime, cameAt), later);
  }

  /** Claims some waiting items and runs them. @returns the lease, whose `settled()` gives the outcomes */
  claim(): Promise<ExecutionLease | 'lost' | 'empty'> {
    return this.duties.claims.claim();
  }
}
