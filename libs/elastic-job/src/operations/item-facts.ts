import type { JobPaths } from '../coordination/index.js';
import {
  judgeItem,
  parseRunRecord,
  type RunningTask,
  type RunRecord,
  serverIpOf,
  type ShardingStatus,
  type ShardOutcomeKind,
  stopOf,
  taskOfRun,
  type TriggerOrigin,
} from '../domain/index.js';
import type { RegistryNode } from '../registry/index.js';
import type { JobFacts, NodeReader } from './job-facts.js';

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
  /** The attempt with which it has begun. Its record does not follow retries within the lease. */
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

const MARKS = ['running', 'disabled', 'failover', 'misfire', 'task'] as const;

/** An item with what an operator's list does not have. */
export interface ItemFacts {
  readonly info: ShardingInfo;
  /** True if an operator has disabled it. */
  readonly isDisabled: boolean;
  /** When it was queued, in milliseconds since the epoch on the registry's clock; undefined if it is not. */
  readonly queuedAt: number | undefined;
  /** Its record; undefined if there is none, or if it cannot be read. */
  readonly record: RunRecord | undefined;
}

/** Reads items of a job. One request, if it fits. */
export async function readItems(
  registry: NodeReader,
  job: Pick<JobFacts, 'instances' | 'owners' | 'paths'>,
  items: readonly number[],
): Promise<readonly ItemFacts[]> {
  const { paths } = job;
  const wanted = items.flatMap((item) => nodesOf(paths, item));
  const found = await registry.readMany(wanted);
  const nodes = new Map(wanted.map((path, index) => [path, found[index]]));
  const node = (path: string) => nodes.get(path);
  return items.map((item) => {
    const stored = parseRunRecord(node(paths.record(item))?.data ?? '');
    return {
      info: infoOf(job, item, node),
      isDisabled: node(paths.mark(item, 'disabled')) !== undefined,
      queuedAt: node(paths.queued(item))?.stat.ctime,
      record: stored.kind === 'record' ? stored.record : undefined,
    };
  });
}

function nodesOf(paths: JobPaths, item: number): string[] {
  return [paths.record(item), paths.queued(item), ...MARKS.map((mark) => paths.mark(item, mark))];
}

function infoOf(
  job: Pick<JobFacts, 'instances' | 'owners' | 'paths'>,
  item: number,
  node: (path: string) => RegistryNode | undefined,
): ShardingInfo {
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
