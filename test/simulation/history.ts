import { type JobNode, JobPaths } from '../../libs/elastic-job/src/coordination/index.js';
import {
  CronSchedule,
  isSameTarget,
  type JobConfiguration,
  parseRunRecord,
  type RunRecord,
  type SettledOutcome,
  timetableOf,
} from '../../libs/elastic-job/src/domain/index.js';
import { readConfiguration } from '../../libs/elastic-job/src/operations/edit-configuration.js';
import { type CalmItem, type CalmJob, findCalmItems, findCalmJobs, lateShare } from './calm.js';
import { Coverages } from './coverage.js';
import type { Entry, EntryOf, NodeWrite } from './log.js';
import { Replay } from './replay.js';
import { readRuns, type Run } from './runs.js';
import { readTasks, type TaskLife } from './task-lives.js';
import { overlaps, readTroubles, type Trouble } from './troubles.js';
import { longestTurnMs, MOST_ITEMS } from './world/draw-job.js';
import { type Plan, promptMsOf, recoveryMsOf } from './world/plan.js';

export type Commit = EntryOf<'commit'>;

/** A begin in the registry. */
export interface Begin {
  readonly at: number;
  readonly zxid: bigint;
  readonly jobName: string;
  readonly item: number;
  readonly record: RunRecord;
  /** True if it has taken the item from the failover queue. */
  readonly isClaim: boolean;
}

/** An instance node was deleted by another session than its own. */
export interface Shutdown {
  readonly at: number;
  readonly jobName: string;
  readonly instance: number;
  readonly instanceId: string;
}

export interface JobSettings {
  readonly configuration: JobConfiguration;
  /** A resident job has no fire times. */
  readonly schedule: Pick<CronSchedule, 'next'>;
}

type TimedWrite = NodeWrite & { readonly at: number };

interface NodeOfJob {
  readonly jobName: string;
  readonly node: JobNode;
}

/** A span of time, such as that of a disturbance. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

const STEP = 'clock jumps by ';
/**
 * Least offset of a time that differs from the registry's. The time that most agree on is off by more than twice this,
 * or is the registry's.
 */
const LEAST_REFERENCE_MS = 5_000;
/** Largest difference between clocks that agree. */
const AGREED_MS = 10_000;

/** A log, read once, with the answers that checkers need. */
export class History {
  readonly coverages = new Coverages();
  readonly runs: readonly Run[];
  readonly commits: readonly Commit[];
  readonly begins: readonly Begin[];
  /** Longest time for two requests, their answers, and the news that they wait for, in milliseconds. */
  readonly promptMs: number;
  /** Time within which everything has recovered after a disturbance, in milliseconds. */
  readonly recoveryMs: number;
  /** Begin of the orderly end. Later entries belong to that end. */
  readonly closingAt: number;
  private readonly entriesByKind: ReadonlyMap<Entry['kind'], readonly Entry[]>;
  private readonly paths = new Map<string, JobPaths>();
  private readonly nodes = new Map<string, NodeOfJob>();
  private writesByPath: ReadonlyMap<string, readonly TimedWrite[]> | undefined;
  private readonly settings = new Map<string, JobSettings>();
  private calmTimes: readonly Interval[] | undefined;
  private removals: readonly Shutdown[] | undefined;
  private livesOfTasks: readonly TaskLife[] | undefined;
  private readonly runsByItem = new Map<string, Run[]>();
  private readonly beginsByItem = new Map<string, Begin[]>();
  private troublesOf: ReadonlyMap<number, readonly Trouble[]> | undefined;
  private jobsInCalm: readonly CalmJob[] | undefined;
  private itemsInCalm: readonly CalmItem[] | undefined;
  private readonly trees = new Map<number, Replay>();
  private stepsMade: readonly EntryOf<'fault'>[] | undefined;
  private distrusted: ReadonlyMap<number, readonly Interval[]> | undefined;

  constructor(
    readonly plan: Pick<Plan, 'jobs' | 'latencyMs' | 'sessionTimeoutMs'> &
      Partial<Pick<Plan, 'newsLagMs' | 'tasks' | 'taskMs'>>,
    readonly entries: readonly Entry[],
  ) {
    this.entriesByKind = groupedByKind(entries);
    this.commits = this.of('commit');
    this.runs = readRuns(entries);
    this.begins = this.commits.flatMap((commit) => [...this.beginsIn(commit)]);
    for (const run of this.runs) remembered(this.runsByItem, `${run.jobName}/${run.item}`, () => []).push(run);
    for (const begin of this.begins)
      remembered(this.beginsByItem, `${begin.jobName}/${begin.item}`, () => []).push(begin);
    this.promptMs = promptMsOf(plan);
    this.recoveryMs = recoveryMsOf(plan);
    this.closingAt = this.of('closing')[0]?.at ?? Infinity;
  }

  of<K extends Entry['kind']>(kind: K): readonly EntryOf<K>[] {
    // oxlint-disable-next-line no-unsafe-type-assertion -- it has grouped them by this
    return (this.entriesByKind.get(kind) ?? []) as readonly EntryOf<K>[];
  }

  /** Kind of node at a path of a job. */
  nodeOf(path: string): NodeOfJob {
    return remembered(this.nodes, path, () => {
      const jobName = path.split('/')[1] ?? '';
      return { jobName, node: remembered(this.paths, jobName, () => new JobPaths(jobName)).parse(path) };
    });
  }

  /** Settings in a job's `config` node. */
  settingsOf(jobName: string, text: string): JobSettings {
    return remembered(this.settings, text, () => {
      const configuration = readConfiguration(jobName, text);
      const { cron, timeZone, clockChange } = timetableOf(configuration, false);
      const schedule = cron === undefined ? { next: () => undefined } : new CronSchedule(cron, timeZone, clockChange);
      return { configuration, schedule };
    });
  }

  /** All tasks, in the order of their launches. */
  get tasks(): readonly TaskLife[] {
    return (this.livesOfTasks ??= readTasks(this.entries));
  }

  /** The runs of an item, in the order in which they began. */
  runsOf(jobName: string, item: number): readonly Run[] {
    return this.runsByItem.get(`${jobName}/${item}`) ?? [];
  }

  /** The begins of an item, in order. */
  beginsOf(jobName: string, item: number): readonly Begin[] {
    return this.beginsByItem.get(`${jobName}/${item}`) ?? [];
  }

  /** Counts a case that a checker had to judge. @param excuse reason why it does not @returns true if it does */
  judges(invariant: number, excuse: string | false = false): boolean {
    this.coverages.count(invariant, excuse === false ? undefined : excuse);
    return excuse === false;
  }

  /**
   * Counts the seconds of all jobs for a checker that judges only calm times.
   * @param isByClock it leaves out items whose owners are late
   */
  judgesCalm(invariant: number, isByClock = false): void {
    const { from, to } = this.watched;
    let disturbedMs = (to - from) * this.plan.jobs.length;
    for (const job of this.calmJobs) {
      const calmMs = job.to - job.from;
      const lateMs = isByClock ? calmMs * lateShare(job) : 0;
      this.coverages.count(invariant, undefined, (calmMs - lateMs) / 1_000);
      if (lateMs > 0)
        this.coverages.count(
          invariant,
          "seconds of items whose owner's clock is behind, or was just set",
          lateMs / 1_000,
        );
      disturbedMs -= calmMs;
    }
    this.coverages.count(invariant, 'seconds in which something was disturbed, or settled', disturbedMs / 1_000);
  }

  private get watched(): Interval {
    const from = this.entries[0]?.at ?? 0;
    return { from, to: Math.min(this.closingAt, this.entries.at(-1)?.at ?? from) };
  }

  /** Reported outcome of a settled run. */
  outcomeOf(run: Run): SettledOutcome | undefined {
    for (const { at, instance, event } of this.of('event')) {
      if (at < run.at || instance !== run.instance || event.kind !== 'settled' || event.item !== run.item) continue;
      if (event.trigger.jobName === run.jobName && isSameTarget(run, event.trigger)) return event.outcome;
    }
    return undefined;
  }

  /** The begin of a run. */
  beginOf({ at, instance, jobName, item, fireTime, origin }: Run): Begin | undefined {
    return this.beginsOf(jobName, item).findLast(
      (begin) =>
        begin.at <= at &&
        begin.record.target.fireTime === fireTime &&
        begin.record.target.origin === origin &&
        indexOf(begin.record.by) === instance,
    );
  }

  /** All instances that an operator has taken out of a job. */
  get shutdowns(): readonly Shutdown[] {
    return (this.removals ??= this.commits.flatMap((commit) => [...this.shutdownsIn(commit)]));
  }

  /** True if a process stood still at some time in between, or was gone. */
  isUnfit(instance: number, from: number, to: number): boolean {
    return this.troubles(instance).some(
      (trouble) => /pause|crash|leaves/.test(trouble.what) && overlaps(trouble, { from, to }),
    );
  }

  /** True if a process stands still at an instant, or is dead. */
  isStill(instance: number, at: number): boolean {
    return this.troubles(instance).some(({ what, from, to }) => /pause|crash/.test(what) && from <= at && to >= at);
  }

  /** True if nothing has disturbed a process since an instant, for so many milliseconds. */
  isSteady(instance: number, at: number, ms: number): boolean {
    return !this.troubles(instance).some((trouble) => overlaps(trouble, { from: at, to: at + ms }));
  }

  /** The first instant from which on nothing has disturbed a process for so many milliseconds. */
  steadySince(instance: number, at: number, ms: number): number {
    let since = at;
    for (const trouble of this.troubles(instance).toSorted((a, b) => a.from - b.from)) {
      if (overlaps(trouble, { from: since, to: since + ms })) since = trouble.to + 1;
    }
    return since;
  }

  /**
   * True if a process has judged clocks by another one than the registry's at some time in between: by the time of most
   * others, which its own may match or not.
   */
  trustsNoRegistry(instance: number, from: number, to: number): boolean {
    return (this.distrust.get(instance) ?? []).some((interval) => overlaps(interval, { from, to }));
  }

  /** True if any process then used another time than the registry's. Its own clock may also be ahead of that time. */
  isRegistryDistrusted(from: number, to: number): boolean {
    return [...this.distrust.keys()].some((instance) => this.trustsNoRegistry(instance, from, to));
  }

  private get distrust(): ReadonlyMap<number, readonly Interval[]> {
    return (this.distrusted ??= this.readDistrust());
  }

  private readDistrust(): ReadonlyMap<number, readonly Interval[]> {
    const intervals = new Map<number, { from: number; to: number }[]>();
    const agreed = findAgreements(this.commits);
    for (const { at, wall, instance, event } of this.of('event')) {
      if (event.kind !== 'clock') continue;
      const own = remembered(intervals, instance, () => []);
      const last = own.at(-1);
      const wasOpen = last?.to === Infinity && last.from <= at;
      if (last?.to === Infinity) last.to = at;
      if (event.state === 'trusted') continue;
      const referenceMs = event.state === 'registry-wrong' ? event.offsetMs : wall - at - event.offsetMs;
      const goesOn = wasOpen && Math.abs(referenceMs) > LEAST_REFERENCE_MS;
      // A wrong clock is reported once. It is judged by the time that most agree on from the begin of the agreement.
      const agreedAt = agreed.find(({ to }) => to >= at)?.from ?? Infinity;
      own.push({ from: event.state === 'registry-wrong' || goesOn ? at : Math.max(at, agreedAt), to: Infinity });
    }
    return new Map([...intervals].map(([instance, all]) => [instance, all.filter(({ from, to }) => from < to)]));
  }

  /** A manual mark says that the item runs: when the holder goes, the item is run again in doubt. */
  isMarkedByHand(jobName: string, item: number, from: number, to: number): boolean {
    return this.of('operation').some(
      (one) =>
        one.name === 'mark' &&
        one.outcome !== 'failed' &&
        one.jobName === jobName &&
        one.item === item &&
        one.at >= from &&
        one.at <= to,
    );
  }

  /** Steps of clocks in a span of time, with their sizes in milliseconds. */
  clockSteps(from: number, to: number): readonly { readonly instance: number; readonly ms: number }[] {
    return this.steps
      .filter(({ at }) => at >= from && at <= to)
      .map(({ fault, instance }) => ({ instance, ms: Number(fault.slice(STEP.length)) }));
  }

  private get steps(): readonly EntryOf<'fault'>[] {
    return (this.stepsMade ??= this.of('fault').filter(({ fault }) => fault.startsWith(STEP)));
  }

  private troubles(instance: number): readonly Trouble[] {
    return (this.troublesOf ??= readTroubles(this.entries)).get(instance) ?? [];
  }

  /** True if nothing was disturbed from an instant on, for so many milliseconds. */
  isCalm(at: number, ms: number): boolean {
    return this.calm.some(({ from, to }) => from < at && at + ms < to);
  }

  /** All writes to a node, in order. */
  writesTo(path: string): readonly TimedWrite[] {
    return (this.writesByPath ??= this.groupWrites()).get(path) ?? [];
  }

  /** Longest time from the turn of an item that may run to the end of its run, in milliseconds. */
  turnMs(jobName: string): number {
    const job = this.plan.jobs.find(({ name }) => name === jobName);
    return job === undefined ? 0 : longestTurnMs(job, MOST_ITEMS);
  }

  isResident(jobName: string): boolean {
    return this.plan.jobs.some(({ name, resident }) => name === jobName && resident === true);
  }

  /** True if the registry marks running items. Only then does a promise hold across processes. */
  isMonitored(jobName: string): boolean {
    return this.plan.jobs.find(({ name }) => name === jobName)?.monitorExecution !== false;
  }

  /** Times without a disturbance, from the end of the recovery. */
  get calm(): readonly Interval[] {
    return (this.calmTimes ??= this.findCalm());
  }

  /** Every job in every calm time in which an instance can run it. */
  get calmJobs(): readonly CalmJob[] {
    return (this.jobsInCalm ??= findCalmJobs(this));
  }

  /** Every item that may run, in every calm time of its job, if the registry knows the running items. */
  get calmItems(): readonly CalmItem[] {
    return (this.itemsInCalm ??= findCalmItems(this));
  }

  /** The registry's tree at an instant. Do not change it. */
  treeAt(at: number): Replay {
    return remembered(this.trees, at, () => {
      const tree = new Replay();
      for (const commit of this.commits) {
        if (commit.at > at) break;
        tree.apply(commit);
      }
      return tree;
    });
  }

  private findCalm(): Interval[] {
    const calm: Interval[] = [];
    const open = new Set<string>();
    let since: number | undefined = this.entries[0]?.at;
    for (const entry of this.entries) {
      if (entry.at > this.closingAt) break;
      if (!isDisturbing(entry)) continue;
      if (entry.kind === 'fault' && entry.lasts) open.add(`${entry.fault} ${entry.instance}`);
      if (entry.kind === 'healed') open.delete(`${entry.fault} ${entry.instance}`);
      if (entry.kind === 'operation') followCall(open, entry);
      if (isEndOfProcess(entry)) forgetCalls(open, entry.instance);
      if (entry.kind === 'calm') open.clear();
      if (since !== undefined && entry.at - since > this.recoveryMs) {
        calm.push({ from: since + this.recoveryMs, to: entry.at });
      }
      since = open.size > 0 ? undefined : entry.at;
    }
    return calm;
  }

  private groupWrites(): ReadonlyMap<string, readonly TimedWrite[]> {
    const groups = new Map<string, TimedWrite[]>();
    for (const { at, writes } of this.commits) {
      for (const write of writes) remembered(groups, write.path, () => []).push({ at, ...write });
    }
    return groups;
  }

  private *shutdownsIn({ at, session, writes }: Commit): Iterable<Shutdown> {
    for (const { kind, path } of writes) {
      if (kind !== 'deleted' || !path.includes('/instances/')) continue;
      const { jobName, node } = this.nodeOf(path);
      if (node.kind !== 'instance' || node.instanceId.endsWith(`-${session}`)) continue;
      // A process that is back removes both nodes that its lost session has left.
      if (writes.some((write) => write.path === `/${jobName}/sessions/${node.instanceId}`)) continue;
      yield { at, jobName, instance: indexOf(node.instanceId), instanceId: node.instanceId };
    }
  }

  private *beginsIn({ at, zxid, writes }: Commit): Iterable<Begin> {
    const isIn = (kind: string, path: string) => writes.some((write) => write.kind === kind && write.path === path);
    for (const write of writes) {
      if (write.kind !== 'changed') continue;
      const { jobName, node } = this.nodeOf(write.path);
      if (node.kind !== 'item-record') continue;
      const root = `/${jobName}/sharding/${node.item}`;
      if (!isIn('created', `${root}/running`)) continue;
      const stored = parseRunRecord(write.data);
      if (stored.kind !== 'record') continue;
      const isClaim = isIn('created', `${root}/failovering`);
      yield { at, zxid, jobName, item: node.item, record: stored.record, isClaim };
    }
  }
}

export function remembered<K, V>(known: Map<K, V>, key: K, find: () => V): V {
  const value = known.get(key) ?? find();
  known.set(key, value);
  return value;
}

function groupedByKind(entries: readonly Entry[]): ReadonlyMap<Entry['kind'], readonly Entry[]> {
  const groups = new Map<Entry['kind'], Entry[]>();
  for (const entry of entries) remembered(groups, entry.kind, () => []).push(entry);
  return groups;
}

function isDisturbing(entry: Entry): boolean {
  switch (entry.kind) {
    case 'fault':
    case 'healed':
    case 'leaving':
    case 'left':
    case 'started':
    case 'calm':
    case 'session':
    case 'closing':
      return true;
    case 'operation':
      return !['trigger', 'cancel', 'rerun', 'withdraw'].includes(entry.name);
    case 'commit':
      return entry.writes.some(({ kind, path }) => kind === 'deleted' && path.includes('/instances/'));
    default:
      return false;
  }
}

/** A call of a process disturbs until it has ended. A pause disturbs until the process has called `resume`. */
function followCall(open: Set<string>, { name, instance, jobName, outcome }: EntryOf<'operation'>): void {
  if (instance === undefined) return;
  const key = (call: string) => `${instance} calls ${call} ${jobName}`;
  if (outcome === 'asked') open.add(key(name));
  else if (name !== 'pause' || outcome === 'failed') open.delete(key(name));
  if (name === 'resume' && outcome !== 'asked') open.delete(key('pause'));
}

function isEndOfProcess(entry: Entry): entry is EntryOf<'fault' | 'leaving'> {
  return entry.kind === 'leaving' || (entry.kind === 'fault' && entry.fault === 'crash');
}

function forgetCalls(open: Set<string>, instance: number): void {
  for (const key of open) if (key.startsWith(`${instance} calls `)) open.delete(key);
}

/** The process that has this instance id. */
export function indexOf(instanceId: string): number {
  return Number(/@-@(\d+)-/.exec(instanceId)?.[1]) - 1_000;
}

/** Times in which most processes have reported that the registry's clock is wrong, by about the same offset. */
function findAgreements(commits: readonly Commit[]): readonly Interval[] {
  const agreements: { from: number; to: number }[] = [];
  const told = new Map<string, number>();
  let isAgreed = false;
  for (const { at, writes } of commits) {
    const tellings = writes.filter(({ path }) => path.includes('/sessions/'));
    if (tellings.length === 0) continue;
    for (const { kind, path, data } of tellings) {
      const offset = kind === 'deleted' ? undefined : /^clock (-?\d+)$/.exec(data)?.[1];
      if (offset === undefined) told.delete(path);
      else told.set(path, Number(offset));
    }
    const clocks = [...new Map([...told].map(([path, ms]) => [indexOf(path.split('/').at(-1)!), ms])).values()];
    const was = isAgreed;
    const agreeing = (offset: number) => clocks.filter((ms) => Math.abs(ms - offset) <= AGREED_MS);
    isAgreed = clocks.some((ms) => Math.abs(ms) > AGREED_MS && 2 * agreeing(ms).length > clocks.length);
    if (isAgreed && !was) agreements.push({ from: at, to: Infinity });
    if (was && !isAgreed) agreements.at(-1)!.to = at;
  }
  return agreements;
}
