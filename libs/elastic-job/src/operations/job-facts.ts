import {
  instanceOf,
  JobPaths,
  parseItem,
  type RegisteredInstance,
  type RegisteredServer,
  unknownJob,
} from '../coordination/index.js';
import { findJobNameFault, inDescendingOrder, type JobName } from '../domain/index.js';
import { namesBelow, type RegistryCenter, type RegistryNode } from '../registry/index.js';
import { UnknownItemError } from './operations.errors.js';

/** Parts of a job's tree. The names of the first three must be listed; records come with the values of `items`. */
export type JobPart = 'instances' | 'servers' | 'items' | 'records';

const LISTED = ['instances', 'servers', 'items'] as const;

/** Most jobs that are read at once: a namespace may be full of names that are no jobs. */
const JOBS_AT_ONCE = 500;

/** A job's nodes in the registry; parts that were not asked for are empty. */
export interface JobFacts {
  readonly paths: JobPaths;
  /** The job's root node; undefined if there is no such job. */
  readonly root: RegistryNode | undefined;
  readonly config: RegistryNode | undefined;
  /** In Java's order. */
  readonly instances: readonly RegisteredInstance[];
  /** In Java's order. */
  readonly servers: readonly RegisteredServer[];
  /** The owner of each item that has a node, by item, ascending; undefined if it has none. */
  readonly owners: ReadonlyMap<number, string | undefined>;
  /** Number of items that an operator has disabled. */
  readonly disabledItems: number;
  /** Records of the items that have one. */
  readonly records: readonly RegistryNode[];
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
  registry: RegistryCenter,
  jobNames: readonly JobName[],
  parts: readonly JobPart[],
): Promise<readonly JobFacts[]> {
  const facts: JobFacts[] = [];
  for await (const job of eachJob(registry, jobNames, parts)) facts.push(job);
  return facts;
}

/** Reads jobs as `readJobs` does, and keeps no more than 500 at a time. */
export async function* eachJob(
  registry: RegistryCenter,
  jobNames: readonly JobName[],
  parts: readonly JobPart[],
): AsyncGenerator<JobFacts, void> {
  for (let from = 0; from < jobNames.length; from += JOBS_AT_ONCE) {
    yield* await readSome(registry, jobNames.slice(from, from + JOBS_AT_ONCE), parts);
  }
}

async function readSome(
  registry: RegistryCenter,
  jobNames: readonly JobName[],
  parts: readonly JobPart[],
): Promise<readonly JobFacts[]> {
  const listed = await listNames(registry, jobNames, parts);
  const paths = listed.flatMap((names) => valuePaths(names, parts.includes('records') ? names.items : []));
  const found = await registry.readMany(paths);
  const nodes = new Map(paths.map((path, index) => [path, found[index]]));
  return listed.map((names) => factsOf(names, nodes));
}

/** @see readJobs */
export async function readJob(
  registry: RegistryCenter,
  { jobName }: JobPaths,
  parts: readonly JobPart[],
): Promise<JobFacts> {
  const [facts] = await readJobs(registry, [jobName], parts);
  return facts!;
}

interface ListedNames {
  readonly paths: JobPaths;
  readonly instanceIds: readonly string[];
  readonly serverIps: readonly string[];
  readonly items: readonly number[];
}

async function listNames(
  registry: RegistryCenter,
  jobNames: readonly JobName[],
  parts: readonly JobPart[],
): Promise<readonly ListedNames[]> {
  const jobs = jobNames.map((jobName) => new JobPaths(jobName));
  const listed = LISTED.filter((part) => parts.includes(part));
  const parents = jobs.flatMap((paths) => listed.map((part) => paths[part]));
  const found = parents.length === 0 ? [] : await registry.childrenMany(parents);
  const names = new Map(parents.map((path, index) => [path, found[index]]));
  return jobs.map((paths) => ({
    paths,
    instanceIds: inDescendingOrder(names.get(paths.instances) ?? []),
    serverIps: inDescendingOrder(names.get(paths.servers) ?? []),
    items: (names.get(paths.items) ?? []).flatMap((name) => parseItem(name) ?? []).toSorted((a, b) => a - b),
  }));
}

function valuePaths({ paths, instanceIds, serverIps, items }: ListedNames, recorded: readonly number[]): string[] {
  return [
    paths.root,
    paths.config,
    ...instanceIds.map((id) => paths.instance(id)),
    ...serverIps.map((serverIp) => paths.server(serverIp)),
    ...items.flatMap((item) => [paths.mark(item, 'instance'), paths.mark(item, 'disabled')]),
    ...recorded.map((item) => paths.record(item)),
  ];
}

function factsOf(names: ListedNames, nodes: ReadonlyMap<string, RegistryNode | undefined>): JobFacts {
  const { paths } = names;
  return {
    paths,
    root: nodes.get(paths.root),
    config: nodes.get(paths.config),
    instances: names.instanceIds.flatMap((id) => instanceOf(id, nodes.get(paths.instance(id))) ?? []),
    servers: names.serverIps.flatMap((serverIp) => {
      const text = nodes.get(paths.server(serverIp))?.data;
      if (text === undefined) return [];
      return [{ serverIp, status: text === 'ENABLED' || text === 'DISABLED' ? text : undefined }];
    }),
    owners: new Map(names.items.map((item) => [item, nodes.get(paths.mark(item, 'instance'))?.data])),
    disabledItems: names.items.filter((item) => nodes.get(paths.mark(item, 'disabled')) !== undefined).length,
    records: names.items.flatMap((item) => nodes.get(paths.record(item)) ?? []),
  };
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
