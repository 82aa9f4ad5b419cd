import {
  assertNotElasticJob2,
  errorOfLaterStep,
  formatTriggerRequest,
  isCommitted,
  type JobPaths,
  parseConfiguration,
  type TriggerRequest,
  unknownJob,
  untilAccepted,
} from '../coordination/index.js';
import {
  type CancelRequest,
  formatCancelRequest,
  type JobName,
  parseCancelRequest,
  parseRunRecord,
  taskOfRun,
} from '../domain/index.js';
import { creation, namesBelow, type Operation, type RegistryCenter, type RegistryNode } from '../registry/index.js';
import { repeat } from '../repeat/index.js';
import { type JobFacts, readJob, readJobs, throwUnknownItem } from './job-facts.js';
import { UnknownItemError } from './operations.errors.js';

/** Result of a request for a run. Instance ids, in Java's order. */
export interface TriggerReceipt {
  /** Id of the run: `ShardingContext.trigger.id` on our instances. */
  readonly id: string;
  /** Instances that were asked for this run. */
  readonly asked: readonly string[];
  /** Instances that have not taken an earlier request yet; it stands, and this one was not added. */
  readonly pending: readonly string[];
  /**
   * Why no item runs for the request, if that is known: `disabled`: the servers of all instances are disabled;
   * `resident`: the items run at all times; `no-instance`: nobody is there to be asked.
   */
  readonly skipped?: 'disabled' | 'resident' | 'no-instance';
}

/**
 * Writes the request for every instance without a waiting one, in one transaction. Java removes all requests first and
 * then writes one after the other, so that two operators can each remove the other's request.
 * @throws {UnknownJobError}
 * @throws {ElasticJob2ConfigurationError} for a job of ElasticJob 2; nothing is written
 */
export function requestRuns(
  registry: RegistryCenter,
  paths: JobPaths,
  request: TriggerRequest,
): Promise<TriggerReceipt> {
  const { jobName } = paths;
  return repeat(untilAccepted(jobName, 'asking for a run'), async () => {
    const [{ root, config, instances, servers }, requested, [parent]] = await Promise.all([
      readJob(registry, paths, ['instances', 'servers']),
      namesBelow(registry, paths.triggers),
      registry.readMany([paths.triggers]),
    ]);
    if (root === undefined) throw await unknownJob(registry, jobName);
    // Instances of ElasticJob 2 never look at such a request.
    if (config !== undefined) assertNotElasticJob2(config.data, jobName);
    const instanceIds = instances.map(({ jobInstanceId }) => jobInstanceId);
    const asked = instanceIds.filter((instanceId) => !requested.includes(instanceId));
    const pending = instanceIds.filter((instanceId) => requested.includes(instanceId));
    const gone = requested.filter((instanceId) => !instanceIds.includes(instanceId));
    const operations: Operation[] = [
      ...(parent === undefined && asked.length > 0 ? [creation(paths.triggers)] : []),
      // Without the check, a request to an instance that has gone meanwhile would stay.
      ...asked.map((instanceId): Operation => ({ kind: 'check', path: paths.instance(instanceId) })),
      ...asked.map((instanceId) => creation(paths.trigger(instanceId), formatTriggerRequest(request))),
      ...gone.map((instanceId): Operation => ({ kind: 'delete', path: paths.trigger(instanceId) })),
    ];
    if (!(await isCommitted(registry, operations))) return undefined;
    const skipped = skipReason(jobName, { config, instances, servers });
    return Object.freeze({
      id: request.id,
      asked: Object.freeze(asked),
      pending: Object.freeze(pending),
      ...(skipped !== undefined && { skipped }),
    });
  });
}

/** The request is made all the same, as Java's is: the job may be enabled before an instance takes it. */
function skipReason(
  jobName: JobName,
  { config, instances, servers }: Pick<JobFacts, 'config' | 'instances' | 'servers'>,
): TriggerReceipt['skipped'] {
  if (instances.length === 0) return 'no-instance';
  const disabled = new Set(servers.flatMap(({ serverIp, status }) => (status === 'DISABLED' ? serverIp : [])));
  if (instances.every(({ serverIp }) => disabled.has(serverIp))) return 'disabled';
  return config !== undefined && isResident(config.data, jobName) ? 'resident' : undefined;
}

function isResident(text: string, jobName: JobName): boolean {
  try {
    return parseConfiguration(text, jobName).nestjs.resident === true;
  } catch {
    return false; // Another text may be in force, which only the instances know.
  }
}

/** Outcome of a request for a new plan. `pending`: an earlier request stands, which no leader has followed yet. */
export interface ReshardOutcome {
  readonly kind: 'requested' | 'pending';
}

/**
 * Sets the flag that asks the leader for a new plan, if it is not set.
 * @throws {UnknownJobError}
 * @see ElasticJob, `ShardingService.setReshardingFlag`
 */
export function requestReshard(registry: RegistryCenter, paths: JobPaths): Promise<ReshardOutcome> {
  const { jobName, reshardingFlag, root, shardingFlags } = paths;
  // A job that has never had an instance lacks the parents.
  const parents = [shardingFlags.slice(0, shardingFlags.lastIndexOf('/')), shardingFlags];
  return repeat(untilAccepted(jobName, 'asking for a new plan'), async (): Promise<ReshardOutcome | undefined> => {
    const wanted = [root, ...parents, reshardingFlag];
    const nodes = await registry.readMany(wanted);
    if (nodes[0] === undefined) throw await unknownJob(registry, jobName);
    if (nodes.at(-1) !== undefined) return Object.freeze({ kind: 'pending' });
    const missing = wanted.filter((_, index) => nodes[index] === undefined).map((path) => creation(path));
    return (await isCommitted(registry, missing)) ? Object.freeze({ kind: 'requested' }) : undefined;
  });
}

/** Outcome of a request to the leader to resign. */
export type ResignOutcome =
  /** The instance that led when it was asked, and leads no longer. */
  { readonly kind: 'resigned'; readonly instanceId: string } | { readonly kind: 'no-leader' };

/**
 * Deletes the leader's node, so that the instances elect another leader. The node is deleted for the leader that was
 * read first, never for its successor: our elections raise the version of `term`.
 * @throws {UnknownJobError}
 * @see ElasticJob, `LeaderService.removeLeader`
 */
export function requestResignation(registry: RegistryCenter, paths: JobPaths): Promise<ResignOutcome> {
  let first: Pick<JobFacts, 'leader' | 'term'> | undefined;
  return repeat(untilAccepted(paths.jobName, 'asking the leader to resign'), async () => {
    const facts = await readJob(registry, paths, ['lead']);
    if (facts.root === undefined) throw await unknownJob(registry, paths.jobName);
    first ??= facts;
    const { leader, term } = first;
    if (leader === undefined) return Object.freeze({ kind: 'no-leader' } as const);
    const outcome = Object.freeze({ kind: 'resigned', instanceId: leader.data } as const);
    if (facts.leader?.data !== leader.data || facts.term?.stat.version !== term?.stat.version) return outcome;
    const operations: Operation[] = [
      { kind: 'delete', path: leader.path, version: leader.stat.version },
      // A job that has never had an instance of ours has no such node.
      ...(term === undefined ? [] : [{ kind: 'check', path: term.path, version: term.stat.version } as const]),
    ];
    return (await isCommitted(registry, operations)) ? outcome : undefined;
  });
}

/** Outcome of a request to cancel a run. */
export type CancelOutcome =
  /** The holder is asked to abort the run; its handler may need a while, and may have ended before. */
  | { readonly kind: 'requested'; readonly run: string; readonly instanceId: string }
  | { readonly kind: 'not-running' }
  /** Without `monitorExecution` it is unknown what runs. */
  | { readonly kind: 'unmonitored' }
  /** A Java instance runs the item: it has no way to be asked. */
  | { readonly kind: 'not-ours'; readonly instanceId: string };

/** Outcome of a request to cancel the run of one of several items. */
export type ItemCancelOutcome = { readonly item: number } & CancelOutcome;

/** State of an item and its holder in the registry, at one moment. */
interface CancelFacts {
  readonly config: RegistryNode | undefined;
  readonly parent: RegistryNode | undefined;
  /** Undefined if no instance of ours has run the item yet. */
  readonly record: RegistryNode | undefined;
  readonly mark: RegistryNode | undefined;
  /** Its task as last reported, which may be that of a former run. */
  readonly task: RegistryNode | undefined;
  readonly request: RegistryNode | undefined;
}

/**
 * Asks the holder of an item to abort its present run. The request names the run and is made against its record, so
 * that it cannot hit another run.
 * @throws {UnknownJobError}
 * @throws {UnknownItemError}
 * @throws {ConfigurationNodeError} if nothing runs and the job's settings cannot be read
 * @throws {ElasticJob2ConfigurationError} if nothing runs and the job is one of ElasticJob 2
 */
export function requestCancel(registry: RegistryCenter, paths: JobPaths, item: number): Promise<CancelOutcome> {
  return requestEnd(registry, paths, item, { work: 'cancelling a run', isConfirmedLost: false });
}

/** Outcome of an operator's confirmation that a task is gone. */
export type LossOutcome =
  | CancelOutcome
  /** The run has no task that counts as unreachable. `state`: what its scheduler last reported, if it has a task. */
  | { readonly kind: 'not-lost'; readonly state: string | undefined };

/**
 * Tells the holder of an item that the task of its run is gone, if it counts as UNREACHABLE.
 * @throws as `requestCancel` does
 */
export function requestLoss(registry: RegistryCenter, paths: JobPaths, item: number): Promise<LossOutcome> {
  const work = 'confirming that a task is gone';
  return requestEnd<LossOutcome>(registry, paths, item, { work, isConfirmedLost: true }, ({ task, record }) => {
    const state = taskOfRun(task?.data, record && parseRunRecord(record.data))?.state;
    return state === 'UNREACHABLE' ? undefined : Object.freeze({ kind: 'not-lost', state });
  });
}

function requestEnd<Outcome extends LossOutcome>(
  registry: RegistryCenter,
  paths: JobPaths,
  item: number,
  { isConfirmedLost, work }: Pick<CancelRequest, 'isConfirmedLost'> & { readonly work: string },
  refusal: (facts: CancelFacts) => Outcome | undefined = () => undefined,
): Promise<CancelOutcome | Outcome> {
  return repeat(untilAccepted(paths.jobName, work), async (): Promise<CancelOutcome | Outcome | undefined> => {
    const facts = await readFacts(registry, paths, item);
    const { mark, record } = facts;
    if (mark === undefined) return Object.freeze({ kind: isMonitored(paths, facts) ? 'not-running' : 'unmonitored' });
    const stored = parseRunRecord(record?.data ?? '');
    const run = stored.kind === 'record' && stored.record.by === mark.data ? stored.record.run : undefined;
    if (run === undefined) return Object.freeze({ kind: 'not-ours', instanceId: mark.data });
    const refused = refusal(facts);
    if (refused !== undefined) return refused;
    const operations = cancelOperations(paths, item, facts, { run, isConfirmedLost });
    if (!(await isCommitted(registry, operations))) return undefined;
    return Object.freeze({ kind: 'requested', run, instanceId: mark.data });
  });
}

/**
 * Asks the holders of all running items to abort: each run as `requestCancel` does.
 * @returns the outcomes, by ascending item; without items that do not run
 * @throws {UnknownJobError} @throws {PartlyDoneError} if some were asked, with their outcomes as `done`
 */
export async function requestCancels(registry: RegistryCenter, paths: JobPaths): Promise<readonly ItemCancelOutcome[]> {
  const [job] = await readJobs(registry, [paths.jobName], ['items']);
  if (job?.root === undefined) throw await unknownJob(registry, paths.jobName);
  const items = [...job.owners.keys()];
  const marks = await registry.readMany(items.map((item) => paths.mark(item, 'running')));
  const outcomes: ItemCancelOutcome[] = [];
  for (const item of items.filter((_, index) => marks[index] !== undefined)) {
    const outcome = await requestCancel(registry, paths, item).catch((error: unknown) => {
      if (error instanceof UnknownItemError) return undefined; // The item is beyond a total that has changed meanwhile.
      if (!outcomes.some(({ kind }) => kind === 'requested')) throw error;
      const begun = { jobName: paths.jobName, work: 'cancelling all runs', done: Object.freeze(outcomes) };
      throw errorOfLaterStep(error, begun);
    });
    if (outcome !== undefined) outcomes.push(Object.freeze({ item, ...outcome }));
  }
  return Object.freeze(outcomes);
}

async function readFacts(registry: RegistryCenter, paths: JobPaths, item: number): Promise<CancelFacts> {
  const marks = [paths.mark(item, 'running'), paths.mark(item, 'task')];
  const ofItem = [paths.item(item), paths.record(item), ...marks, paths.cancel(item)];
  const [config, parent, node, record, mark, task, request] = await registry.readMany([
    paths.config,
    paths.cancels,
    ...ofItem,
  ]);
  if (node === undefined) return throwUnknownItem(registry, paths, item);
  return { config, parent, record, mark, task, request };
}

function isMonitored({ jobName }: JobPaths, { config }: CancelFacts): boolean {
  return config === undefined || parseConfiguration(config.data, jobName).monitorExecution === true;
}

function cancelOperations(paths: JobPaths, item: number, facts: CancelFacts, wanted: CancelRequest): Operation[] {
  const { parent, record, request } = facts;
  const path = paths.cancel(item);
  const asked = request && parseCancelRequest(request.data);
  // There is nothing left to stop where the loss is confirmed already.
  if (asked?.run === wanted.run && (asked.isConfirmedLost || !wanted.isConfirmedLost)) return [];
  const text = formatCancelRequest(wanted);
  return [
    { kind: 'check', path: paths.record(item), version: record?.stat.version },
    { kind: 'check', path: paths.mark(item, 'running') },
    // Changed in any case, so that a sweep which has read the requests before is refused.
    parent === undefined ? creation(paths.cancels) : { kind: 'set', path: paths.cancels, data: '' },
    // Replaces a leftover request for an earlier run.
    request === undefined ? creation(path, text) : { kind: 'set', path, data: text, version: request.stat.version },
  ];
}
