import { publicCalls } from '../async-context/index.js';
import type { JobPaths } from '../coordination/index.js';
import { sharedClass } from '../copies/index.js';
import {
  type JobName,
  judgeItem,
  parseRunRecord,
  type RunningTask,
  serverIpOf,
  type ShardingStatus,
  type ShardOutcomeKind,
  stopOf,
  taskOfRun,
  type TriggerOrigin,
} from '../domain/index.js';
import { creation, type Operation, type RegistryCenter, type RegistryNode } from '../registry/index.js';
import { assertItem, pathsOf } from './command-arguments.js';
import { type JobFacts, readJob, throwUnknownItem } from './job-facts.js';

/**
 * Disables and enables single items of a job. A running item goes on; the next trigger skips a disabled one, and no
 * other instance gets it.
 * @see ElasticJob, `ShardingOperateAPI`
 */
@sharedClass('ShardingOperateApi')
@publicCalls()
export class ShardingOperateApi {
  constructor(private readonly registry: RegistryCenter) {}

  /**
   * Disables an item; a disabled one stays so. One request.
   * @returns false if it was disabled already
   * @throws {UnknownJobError} @throws {UnknownItemError} @throws {InvalidArgumentError}
   */
  disable(jobName: JobName, item: number): Promise<boolean> {
    return this.mark(jobName, item, creation);
  }

  /**
   * Enables an item; an enabled one stays so. One request.
   * @returns false if it was enabled already
   * @throws {UnknownJobError} @throws {UnknownItemError} @throws {InvalidArgumentError}
   */
  enable(jobName: JobName, item: number): Promise<boolean> {
    return this.mark(jobName, item, (path) => ({ kind: 'delete', path }));
  }

  private async mark(jobName: JobName, item: number, change: (path: string) => Operation): Promise<boolean> {
    const paths = pathsOf(jobName);
    assertItem(item);
    const operations: Operation[] = [{ kind: 'check', path: paths.item(item) }, change(paths.mark(item, 'disabled'))];
    const result = await this.registry.transaction(operations);
    // A refusal of the second operation means that the item is in the wanted state already.
    if (result.kind === 'refused' && result.index === 0) await throwUnknownItem(this.registry, paths, item);
    return result.kind === 'committed';
  }
}

/**
 * The last run of an item by one of our instances, from its record; Java's instances leave none. Times in milliseconds
 * since the epoch.
 */
export interface RecordedRun {
  /** Id of the run, unique for each begin. */
  readonly run: string;
  /** Id of the instance that ran it. */
  readonly instanceId: string;
  /** The fire time of the run. */
  readonly fireTime: number;
  readonly origin: TriggerOrigin;
  readonly attempt: number;
  /** For work in tasks: number of the launch for the target, from 1. */
  readonly launch: number | undefined;
  readonly begunAt: number;
  /**
   * Undefined if it still runs, if its instance died, or if the job has Java peers, beside which the end is not
   * recorded.
   */
  readonly settledAt: number | undefined;
  readonly outcome: ShardOutcomeKind | undefined;
  /** Fencing token of the run, as long as its end is not recorded and it was not told to stop for good. */
  readonly token: bigint | undefined;
}

/** An item at a glance. */
export interface ShardingInfo {
  readonly item: number;
  /** The last assigned owner, even if it is gone; undefined if there is none. */
  readonly instanceId: string | undefined;
  readonly serverIp: string | undefined;
  /** In ElasticJob's words. DISABLED says nothing of a run that goes on: see `isRunning`. */
  readonly status: ShardingStatus;
  /** True if it runs now, on its `holder`, also while it is disabled. */
  readonly isRunning: boolean;
  /** True if another instance has taken it over from a crashed one. */
  readonly failover: boolean;
  /** True if it waits for an instance to take it over. */
  readonly isQueued: boolean;
  /** True if a fire time was missed and will be caught up on. */
  readonly isMisfired: boolean;
  /** Id of the instance that runs it now. */
  readonly holder: string | undefined;
  /** The task that works on it now, as its scheduler last reported it; undefined if there is none, or none is known. */
  readonly task: RunningTask | undefined;
  readonly lastRun: RecordedRun | undefined;
}

/** Lists a job's items and their states. Values are frozen. @see ElasticJob, `ShardingStatisticsAPI` */
@sharedClass('ShardingStatisticsApi')
@publicCalls()
export class ShardingStatisticsApi {
  constructor(private readonly registry: RegistryCenter) {}

  /**
   * Every item that has a node, ascending; none if there is no such job. A missing owner is no error: its items are
   * SHARDING_FLAG. 3 requests, if they fit.
   * @throws {InvalidArgumentError}
   */
  async getShardingInfo(jobName: JobName): Promise<readonly ShardingInfo[]> {
    const paths = pathsOf(jobName);
    const job = await readJob(this.registry, paths, ['instances', 'items']);
    const items = [...job.owners.keys()];
    const wanted = items.flatMap((item) => nodesOf(paths, item));
    const found = await this.registry.readMany(wanted);
    const nodes = new Map(wanted.map((path, index) => [path, found[index]]));
    return Object.freeze(items.map((item) => infoOf(job, item, (path) => nodes.get(path))));
  }
}

const MARKS = ['running', 'disabled', 'failover', 'misfire', 'task'] as const;

function nodesOf(paths: JobPaths, item: number): string[] {
  return [paths.record(item), paths.queued(item), ...MARKS.map((mark) => paths.mark(item, mark))];
}

function infoOf(job: JobFacts, item: number, node: (path: string) => RegistryNode | undefined): ShardingInfo {
  const mark = (name: (typeof MARKS)[number]) => node(job.paths.mark(item, name));
  const instanceId = job.owners.get(item);
  const owner = job.instances.find(({ jobInstanceId }) => jobInstanceId === instanceId);
  const running = mark('running');
  const record = node(job.paths.record(item));
  return Object.freeze({
    item,
    instanceId,
    serverIp: owner?.serverIp ?? (instanceId === undefined ? undefined : serverIpOf(instanceId)),
    status: judgeItem({
      isDisabled: mark('disabled') !== undefined,
      isRunning: running !== undefined,
      isOwnerOnline: owner !== undefined,
    }),
    isRunning: running !== undefined,
    failover: mark('failover') !== undefined,
    isQueued: node(job.paths.queued(item)) !== undefined,
    isMisfired: mark('misfire') !== undefined,
    holder: running?.data,
    task: running && Object.freeze(taskOfRun(mark('task')?.data, record && parseRunRecord(record.data))),
    lastRun: recordedRun(record),
  });
}

function recordedRun(node: RegistryNode | undefined): RecordedRun | undefined {
  const stored = node && parseRunRecord(node.data);
  if (node === undefined || stored?.kind !== 'record') return undefined;
  const { by, target, attempt, begunAt, launch, run, settled } = stored.record;
  return Object.freeze({
    run,
    instanceId: by,
    fireTime: target.fireTime,
    origin: target.origin,
    attempt,
    launch,
    begunAt,
    settledAt: settled?.at,
    outcome: settled?.outcome,
    // The last write of the node is the begin's, so its id is the token; a run that was told to stop has written since.
    token: settled === undefined && stopOf(stored.record) === undefined ? node.stat.mzxid : undefined,
  });
}
