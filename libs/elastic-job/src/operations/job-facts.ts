import {
  ConfigurationNodeError,
  DRAINING,
  ElasticJob2ConfigurationError,
  instanceOf,
  JobPaths,
  parseClockOffset,
  parseConfiguration,
  parseItem,
  type RegisteredInstance,
  type RegisteredServer,
  type StoredConfiguration,
  unknownJob,
} from '../coordination/index.js';
import {
  findJobNameFault,
  inDescendingOrder,
  type JobBriefStatus,
  type JobName,
  judgeJob,
  parseRunRecord,
} from '../domain/index.js';
import { namesBelow, type RegistryCenter, type RegistryNode } from '../registry/index.js';
import { UnknownItemError } from './operations.errors.js';

/**
 * Parts of a job's tree. The names of the first four must be listed; records and running marks come with the values of
 * `items`, session nodes with those of `instances`, and `lead` are the nodes of leader and term.
 */
export type JobPart = 'instances' | 'servers' | 'items' | 'queue' | 'records' | 'running' | 'sessions' | 'lead';

const LISTED = ['instances', 'servers', 'items', 'queue'] as const;

/** Reads of many nodes at once: of the registry, or of a view. */
export type NodeReader = Pick<RegistryCenter, 'childrenMany' | 'readMany'>;

/** Most jobs that are read at once: a namespace may be full of names that are no jobs. */
const JOBS_AT_ONCE = 500;

/** An instance as its node tells it. */
interface JoinedInstance extends RegisteredInstance {
  /** When it joined the job, in milliseconds since the epoch on the registry's clock. */
  readonly joinedAt: number;
}

/** A server as its node tells it. */
interface KnownServer extends RegisteredServer {
  /** When it was enabled, disabled or joined again, in milliseconds since the epoch on the registry's clock. */
  readonly writtenAt: number;
}

/** The words of an instance of ours about itself, in its session node. */
export interface OwnWords {
  /**
   * Since when it is leaving, in milliseconds since the epoch on the registry's clock: others get its items, and what
   * it runs goes on. Undefined if it is not.
   */
  readonly drainingSince: number | undefined;
  /** Milliseconds by which its clock is ahead of the registry's; undefined if it has not told, or is leaving. */
  readonly clockOffsetMs: number | undefined;
}

/** A job's nodes in the registry; parts that were not asked for are empty. */
export interface JobFacts {
  readonly paths: JobPaths;
  /** The job's root node; undefined if there is no such job. */
  readonly root: RegistryNode | undefined;
  readonly config: RegistryNode | undefined;
  /** In Java's order. */
  readonly instances: readonly JoinedInstance[];
  /** Session nodes of these instances, by instance. Java's have none. */
  readonly sessions: ReadonlyMap<string, OwnWords>;
  /** In Java's order. */
  readonly servers: readonly KnownServer[];
  /** The owner of each item that has a node, by item, ascending; undefined if it has none. */
  readonly owners: ReadonlyMap<number, string | undefined>;
  /** Items that an operator has disabled, ascending. */
  readonly disabledItems: readonly number[];
  /** Records of the items that have one, by item. */
  readonly records: ReadonlyMap<number, RegistryNode>;
  /** Items that run, ascending. */
  readonly runningItems: readonly number[];
  /** Items that wait for an instance to take them over, ascending. */
  readonly queuedItems: readonly number[];
  readonly leader: RegistryNode | undefined;
  /** There if, and only if, an instance of ours has ever been there. */
  readonly term: RegistryNode | undefined;
}

/**
 * The names of the namespace's children, in ascending order. One request. A foreign node there looks like a job: it has
 * no `config`.
 */
export async function jobNamesIn(registry: RegistryCenter): Promise<JobName[]> {
  const names = await namesBelow(registry, '/');
  return names.filter((name) => findJobNameFault(name) === undefined).toSorted();
}

/**
 * Reads jobs in two round trips for each 500: a request for all names that must be listed, if there are any, and one
 * for all values, if they fit. A node that is removed in between is left out.
 */
export async function readJobs(
  registry: NodeReader,
  jobNames: readonly JobName[],
  parts: readonly JobPart[],
): Promise<readonly JobFacts[]> {
  const facts: JobFacts[] = [];
  for await (const job of eachJob(registry, jobNames, parts)) facts.push(job);
  return facts;
}

/** Reads jobs as `readJobs` does, and keeps no more than 500 at a time. */
export async function* eachJob(
  registry: NodeReader,
  jobNames: readonly JobName[],
  parts: readonly JobPart[],
): AsyncGenerator<JobFacts, void> {
  for (let from = 0; from < jobNames.length; from += JOBS_AT_ONCE) {
    const jobs = jobNames.slice(from, from + JOBS_AT_ONCE).map((jobName) => new JobPaths(jobName));
    yield* await readSome(registry, jobs, parts);
  }
}

async function readSome(
  registry: NodeReader,
  jobs: readonly JobPaths[],
  parts: readonly JobPart[],
): Promise<readonly JobFacts[]> {
  const listed = await listNames(registry, jobs, parts);
  const paths = listed.flatMap((names) => valuePaths(names, parts));
  const found = await registry.readMany(paths);
  const nodes = new Map(paths.map((path, index) => [path, found[index]]));
  return listed.map((names) => factsOf(names, nodes));
}

/** @see readJobs */
export async function readJob(registry: NodeReader, paths: JobPaths, parts: readonly JobPart[]): Promise<JobFacts> {
  const [facts] = await readSome(registry, [paths], parts);
  return facts!;
}

interface ListedNames {
  readonly paths: JobPaths;
  readonly instanceIds: readonly string[];
  readonly serverIps: readonly string[];
  readonly items: readonly number[];
  readonly queue: readonly number[];
}

async function listNames(
  registry: NodeReader,
  jobs: readonly JobPaths[],
  parts: readonly JobPart[],
): Promise<readonly ListedNames[]> {
  const listed = LISTED.filter((part) => parts.includes(part));
  const parents = jobs.flatMap((paths) => listed.map((part) => paths[part]));
  const found = parents.length === 0 ? [] : await registry.childrenMany(parents);
  const names = new Map(parents.map((path, index) => [path, found[index]]));
  return jobs.map((paths) => ({
    paths,
    instanceIds: inDescendingOrder(names.get(paths.instances) ?? []),
    serverIps: inDescendingOrder(names.get(paths.servers) ?? []),
    items: itemsIn(names.get(paths.items)),
    queue: itemsIn(names.get(paths.queue)),
  }));
}

/** Items that the names stand for, ascending. */
function itemsIn(names: readonly string[] = []): number[] {
  return names.flatMap((name) => parseItem(name) ?? []).toSorted((a, b) => a - b);
}

function valuePaths({ paths, instanceIds, serverIps, items }: ListedNames, parts: readonly JobPart[]): string[] {
  const ofItems = (part: JobPart, pathOf: (item: number) => string) => (parts.includes(part) ? items.map(pathOf) : []);
  return [
    paths.root,
    paths.config,
    ...(parts.includes('lead') ? [paths.leader, paths.term] : []),
    ...instanceIds.map((id) => paths.instance(id)),
    ...(parts.includes('sessions') ? instanceIds.map((id) => paths.session(id)) : []),
    ...serverIps.map((serverIp) => paths.server(serverIp)),
    ...items.flatMap((item) => [paths.mark(item, 'instance'), paths.mark(item, 'disabled')]),
    ...ofItems('records', (item) => paths.record(item)),
    ...ofItems('running', (item) => paths.mark(item, 'running')),
  ];
}

function factsOf(names: ListedNames, nodes: ReadonlyMap<string, RegistryNode | undefined>): JobFacts {
  const { items, paths, queue } = names;
  const marked = (mark: 'disabled' | 'running') =>
    items.filter((item) => nodes.get(paths.mark(item, mark)) !== undefined);
  return {
    paths,
    root: nodes.get(paths.root),
    config: nodes.get(paths.config),
    instances: names.instanceIds.flatMap((id) => joinedInstance(id, nodes.get(paths.instance(id))) ?? []),
    sessions: new Map(
      names.instanceIds.flatMap((id) => {
        const session = nodes.get(paths.session(id));
        return session === undefined ? [] : [[id, wordsIn(session)]];
      }),
    ),
    servers: names.serverIps.flatMap((serverIp) => serverOf(serverIp, nodes.get(paths.server(serverIp))) ?? []),
    owners: new Map(items.map((item) => [item, nodes.get(paths.mark(item, 'instance'))?.data])),
    disabledItems: marked('disabled'),
    records: new Map(
      items.flatMap((item) => {
        const record = nodes.get(paths.record(item));
        return record === undefined ? [] : [[item, record]];
      }),
    ),
    runningItems: marked('running'),
    queuedItems: queue,
    leader: nodes.get(paths.leader),
    term: nodes.get(paths.term),
  };
}

function joinedInstance(id: string, node: RegistryNode | undefined): JoinedInstance | undefined {
  const instance = instanceOf(id, node);
  return instance && { ...instance, joinedAt: node!.stat.ctime };
}

function wordsIn({ data, stat }: RegistryNode): OwnWords {
  // The offset of its clock is not written any more once it leaves.
  return { drainingSince: data === DRAINING ? stat.mtime : undefined, clockOffsetMs: parseClockOffset(data) };
}

function serverOf(serverIp: string, node: RegistryNode | undefined): KnownServer | undefined {
  if (node === undefined) return undefined;
  const { data, stat } = node;
  return { serverIp, status: data === 'ENABLED' || data === 'DISABLED' ? data : undefined, writtenAt: stat.mtime };
}

/** The job's status in ElasticJob's words. */
export function statusOf({ instances, owners, servers }: JobFacts): JobBriefStatus {
  return judgeJob({
    instanceIds: instances.map(({ jobInstanceId }) => jobInstanceId),
    disabledServers: servers.map(({ status }) => status === 'DISABLED'),
    owners: owners.values(),
  });
}

/** The content of a job's `config`, or the reason why it cannot be read. */
export type ReadSettings =
  | { readonly stored: StoredConfiguration; readonly problem: undefined }
  | { readonly stored: undefined; readonly problem: string };

export function settingsOf(config: string, jobName: JobName): ReadSettings {
  try {
    return { stored: parseConfiguration(config, jobName), problem: undefined };
  } catch (error) {
    const isUnreadable = error instanceof ConfigurationNodeError || error instanceof ElasticJob2ConfigurationError;
    if (!isUnreadable) throw error;
    return { stored: undefined, problem: error.message };
  }
}

/** Characters of a job's texts that have to be parsed. */
export function textLengthOf({ config, records }: Pick<JobFacts, 'config' | 'records'>): number {
  return [...records.values()].reduce((length, { data }) => length + data.length, config?.data.length ?? 0);
}

/** True if the last run of the item has failed, after all of its attempts. */
export function isOfFailure({ data }: RegistryNode): boolean {
  const stored = parseRunRecord(data);
  return stored.kind === 'record' && stored.record.settled?.outcome === 'failed';
}

/**
 * Throws the reason why an item has no node: the job lacks it, or there is no such job.
 * @throws {UnknownJobError}
 * @throws {UnknownItemError}
 */
export async function throwUnknownItem(registry: RegistryCenter, paths: JobPaths, item: number): Promise<never> {
  const [root, names] = await Promise.all([registry.exists(paths.root), namesBelow(registry, paths.items)]);
  if (root === undefined) throw await unknownJob(registry, paths.jobName);
  const items = names.flatMap((name) => parseItem(name) ?? []).toSorted((a, b) => a - b);
  throw new UnknownItemError(paths.jobName, item, items);
}
