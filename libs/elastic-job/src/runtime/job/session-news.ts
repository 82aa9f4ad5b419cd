import type { Cancellations, FailingItems, HandOvers, OwnMarks } from '../runs/index.js';
import type {
  CatchUp,
  ManualTriggers,
  MissedFireTimes,
  OperatorSwitches,
  Reruns,
  ResidentItems,
} from '../triggering/index.js';
import type { FailoverClaims } from '../rescuing/index.js';
import type { LeaderDuties } from '../leading/index.js';
import type { KeptNodes } from './kept-nodes.js';
import type { JobNews, News, NewsEmitter } from '../news/index.js';
import type { DependencyStarts } from '../triggering/index.js';

/** The job of a session. It receives the news that concern it beyond the session, before the duties do. */
export interface SessionJob {
  clockReported(): void;
  rootChanged(): void;
  configurationChanged(): void;
  configurationKept(): void;
  instanceJoined(): void;
  instanceLost(news: News<'InstanceLost'>): void;
  treeReset(): void;
  fireTimesMissed(news: News<'FireTimesMissed'>): void;
  itemOutlivedSession(): void;
}

/** Duties of an instance for a job while a session lasts. */
export interface Duties {
  readonly leader: LeaderDuties;
  readonly switches: OperatorSwitches;
  readonly nodes: KeptNodes;
  readonly failing: FailingItems;
  readonly missed: MissedFireTimes;
  readonly catchUp: CatchUp;
  readonly claims: FailoverClaims;
  readonly manual: ManualTriggers;
  readonly reruns: Reruns;
  readonly residents: ResidentItems;
  readonly starts: DependencyStarts;
  readonly cancellations: Cancellations;
  readonly handOvers: HandOvers;
  readonly marks: OwnMarks;
}

type Receivers = {
  readonly [Kind in JobNews['kind']]: (news: News<Kind>, duties: Duties, job: SessionJob) => void;
};

/**
 * Receivers of each kind of news, in the order in which they receive it. `switches` come before the duties that ask
 * since when something was disabled.
 */
export const RECEIVERS: Receivers = {
  InstanceJoined(news, { leader, residents }, job) {
    job.instanceJoined();
    leader.instanceJoined(news);
    residents.instanceJoined();
  },
  InstanceLost(news, { leader, claims, reruns, residents }, job) {
    job.instanceLost(news);
    leader.instanceLost(news);
    claims.instanceLost();
    reruns.instanceLost();
    residents.instanceLost();
  },
  InstanceDraining: (news, { leader }) => leader.instanceDraining(news),
  ClockReported: (_news, _duties, job) => job.clockReported(),
  SessionEnded(news, { leader, nodes }) {
    leader.sessionEnded(news);
    nodes.sessionEnded(news);
  },
  ServerChanged(news, { leader, switches, nodes, catchUp, claims, reruns, residents }) {
    leader.serverChanged(news);
    switches.serverChanged();
    nodes.serverChanged(news);
    catchUp.serverChanged(news);
    claims.serverChanged(news);
    reruns.serverChanged();
    residents.serverChanged();
  },
  LeaderElected: (_news, { leader }) => leader.leaderElected(),
  LeaderLost: (_news, { leader }) => leader.leaderLost(),
  ReshardingRequested: (_news, { leader }) => leader.reshardingRequested(),
  ShardingCompleted(_news, { leader, catchUp, claims, manual, reruns, residents }) {
    leader.shardingCompleted();
    catchUp.shardingCompleted();
    claims.shardingCompleted();
    manual.shardingCompleted();
    reruns.shardingCompleted();
    residents.shardingCompleted();
  },
  TriggerRequested(news, { leader, manual }) {
    leader.triggerRequested(news);
    manual.triggerRequested(news);
  },
  CancelRequested(news, { leader, cancellations }) {
    leader.cancelRequested(news);
    cancellations.cancelRequested(news);
  },
  RerunChanged(_news, { leader, reruns }) {
    leader.rerunChanged();
    reruns.rerunChanged();
  },
  RerunProgressed: (_news, { leader }) => leader.rerunProgressed(),
  GuaranteeChanged() {}, // The barrier of `coordination/guarantee` listens to the tree.
  NextInstanceChanged(_news, { catchUp, reruns, residents }) {
    catchUp.nextInstanceChanged();
    reruns.nextInstanceChanged();
    residents.nextInstanceChanged();
  },
  ItemQueued: (_news, { claims }) => claims.itemQueued(),
  ItemMarked: (news, { marks }) => marks.itemMarked(news),
  ItemReleased(news, { leader, catchUp, claims, manual, reruns, residents, marks }) {
    leader.itemReleased(news);
    catchUp.itemReleased(news);
    claims.itemReleased(news);
    manual.itemReleased();
    reruns.itemReleased(news);
    residents.itemReleased();
    marks.itemReleased(news);
  },
  StartsChanged(_news, { leader, starts }) {
    leader.startsChanged();
    starts.startsChanged();
  },
  CountingLockReleased() {}, // A settle that waits for the lock listens to the tree.
  ItemSwitched(news, { switches, catchUp, claims, reruns, residents }) {
    switches.itemSwitched(news);
    catchUp.itemSwitched(news);
    claims.itemSwitched(news);
    reruns.itemSwitched();
    residents.itemSwitched();
  },
  OwnerChanged(news, { leader, failing, handOvers, reruns }) {
    leader.ownerChanged();
    failing.ownerChanged(news);
    handOvers.ownerChanged(news);
    reruns.ownerChanged();
  },
  PlanDamaged: (_news, { leader }) => leader.planDamaged(),
  NodeLost: (_news, { nodes }) => nodes.nodeLost(),
  NodeLaid: (_news, { leader }) => leader.nodeLaid(),
  RootChanged: (_news, _duties, job) => job.rootChanged(),
  ConfigurationChanged(_news, { leader, nodes, reruns, residents }, job) {
    job.configurationChanged();
    leader.configurationChanged();
    nodes.configurationChanged();
    reruns.configurationChanged();
    residents.configurationChanged();
  },
  ConfigurationKept(_news, { leader }, job) {
    job.configurationKept();
    leader.configurationKept();
  },
  TreeReset(_news, duties, job) {
    job.treeReset();
    duties.leader.treeReset();
    duties.switches.treeReset();
    duties.nodes.treeReset();
    duties.failing.treeReset();
    duties.catchUp.treeReset();
    duties.claims.treeReset();
    duties.manual.treeReset();
    duties.reruns.treeReset();
    duties.residents.treeReset();
    duties.starts.treeReset();
    duties.cancellations.treeReset();
    duties.handOvers.treeReset();
    duties.marks.treeReset();
  },
  ItemsBegun: (news, { missed }) => missed.itemsBegun(news),
  ItemsRefused: (news, { claims }) => claims.itemsRefused(news),
  LeaseRuns(news, { cancellations, handOvers }) {
    cancellations.leaseRuns(news);
    handOvers.leaseRuns(news);
  },
  ItemSettled: (news, { failing }) => failing.itemSettled(news),
  ItemEnded(news, { catchUp, claims, manual, reruns }) {
    catchUp.itemEnded(news);
    claims.itemEnded();
    manual.itemEnded();
    reruns.itemEnded();
  },
  ItemOutlivedSession: (_news, _duties, job) => job.itemOutlivedSession(),
  WorkExpected(_news, { catchUp, claims, manual, reruns, residents }) {
    catchUp.workExpected();
    claims.workExpected();
    manual.workExpected();
    reruns.workExpected();
    residents.workExpected();
  },
  QueueClaimed: (_news, { manual }) => manual.queueClaimed(),
  TriggersBegun(_news, { catchUp, reruns }) {
    catchUp.triggersBegun();
    reruns.triggersBegun();
  },
  SweepNeeded: (_news, { leader }) => leader.sweepNeeded(),
  FireTimesMissed: (news, _duties, job) => job.fireTimesMissed(news),
};

/** Hands the news of one session to the receivers of its kind, in the order in which it came. */
export class SessionNews implements NewsEmitter {
  private duties: Duties | undefined;

  constructor(private readonly job: SessionJob) {}

  /** Hands news to the duties from now on. Their constructors, which take this feed, emit none. */
  open(duties: Duties): void {
    this.duties = duties;
  }

  emit<Kind extends JobNews['kind']>(news: News<Kind>): void {
    const { duties, job } = this;
    if (duties !== undefined) RECEIVERS[news.kind](news, duties, job);
  }
}
