import {
  type JobName,
  parseShardingItemParameters,
  type Redact,
  type RunningTask,
  ShardingItemParametersError,
} from '../../domain/index.js';
import { type ItemFacts, type JobFacts, settingsOf } from '../../operations/index.js';
import {
  type DisabledBy,
  type InstanceAnswer,
  isoOf,
  type ItemAnswer,
  type LastRunAnswer,
  type TaskAnswer,
} from '../contract/index.js';
import type { IndexedJob } from './indexed-job.js';

/** Facts that the nodes of an item do not tell, or that have to be shown in another way. */
export interface ItemContext {
  readonly parameter: string | null;
  readonly disabled: DisabledBy | null;
  /** Error of the last run. */
  readonly error: string | null;
  readonly redact: Redact;
}

export function itemAnswer(facts: ItemFacts, { disabled, error, parameter, redact }: ItemContext): ItemAnswer {
  const { info, queuedAt } = facts;
  return {
    item: info.item,
    parameter,
    status: info.status,
    owner: info.instanceId ?? null,
    holder: info.holder ?? null,
    failover: info.failover,
    queued: queuedAt === undefined ? null : isoOf(queuedAt),
    misfired: info.isMisfired,
    disabled,
    task: info.task === undefined ? null : taskAnswer(info.task, redact),
    lastRun: lastRunOf(facts, error === null ? null : redact(error)),
    why: null,
  };
}

/** The run in the record of an item; null if it has none. */
export function lastRunOf({ info, record }: ItemFacts, error: string | null = null): LastRunAnswer | null {
  const { lastRun } = info;
  if (lastRun === undefined) return null;
  return {
    run: lastRun.run,
    instance: lastRun.instanceId,
    fireTime: isoOf(lastRun.fireTime),
    origin: lastRun.origin,
    outcome: lastRun.outcome ?? null,
    cause: record?.settled?.cause ?? record?.stopped?.cause ?? null,
    launch: lastRun.launch ?? null,
    token: lastRun.token === undefined ? null : String(lastRun.token),
    begunAt: isoOf(lastRun.begunAt),
    settledAt: lastRun.settledAt === undefined ? null : isoOf(lastRun.settledAt),
    error,
  };
}

function taskAnswer({ backend, detail, id, launch, node, since, state }: RunningTask, redact: Redact): TaskAnswer {
  const shown = detail === undefined ? null : redact(detail);
  return { id, backend, state, since: isoOf(since), launch, node: node ?? null, detail: shown };
}

/** The job's instances with their items. */
export function membersOf(
  { instances, leader, owners, sessions }: JobFacts,
  indexed: IndexedJob,
): readonly InstanceAnswer[] {
  const owned = new Map<string, number[]>();
  for (const [item, owner] of owners) {
    if (owner === undefined || item >= indexed.items) continue;
    const items = owned.get(owner);
    if (items === undefined) owned.set(owner, [item]);
    else items.push(item);
  }
  return instances.map(({ isOurs, jobInstanceId, serverIp, version }) => ({
    instance: jobInstanceId,
    ip: serverIp,
    java: !isOurs,
    version: version ?? null,
    leader: leader?.data === jobInstanceId,
    draining: sessions.get(jobInstanceId)?.drainingSince !== undefined,
    items: owned.get(jobInstanceId) ?? [],
  }));
}

/** The parameters of items in a job's settings; none if they cannot be read. */
export function parametersIn({ config }: JobFacts, job: JobName): ReadonlyMap<number, string> {
  const { stored } = settingsOf(config?.data ?? '', job);
  try {
    return parseShardingItemParameters(stored?.shardingItemParameters ?? '');
  } catch (error) {
    if (error instanceof ShardingItemParametersError) return new Map();
    throw error;
  }
}
