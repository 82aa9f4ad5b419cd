// Commands within a scope: one job or all, one server or all. Each reads the nodes that it concerns, and is then one
// transaction; if a node was changed meanwhile, it reads again.
import { errorOfLaterStep, isCommitted, removeAbandoned, unknownJob, untilAccepted } from '../coordination/index.js';
import { parseCreatedJob, removedRoot } from '../domain/index.js';
import type { Operation, RegistryCenter } from '../registry/index.js';
import { repeat } from '../repeat/index.js';
import { assertServerIp, type CommandScope, isIn, pathsOf } from './command-arguments.js';
import { type JobFacts, jobNamesIn, type JobPart, readJobs } from './job-facts.js';
import { UnknownServerError } from './operations.errors.js';

/**
 * Reads the jobs of a scope, and commits the operations that follow from each of them.
 * @param work the work, as an error names it
 * @param parts parts of the jobs to read
 * @returns the committed operations
 * @throws {UnknownJobError} @throws {UnknownServerError} @throws {InvalidArgumentError}
 */
export function commitInScope(
  registry: RegistryCenter,
  scope: CommandScope,
  { work, parts }: { readonly work: string; readonly parts: readonly JobPart[] },
  decide: (job: JobFacts) => readonly Operation[],
): Promise<readonly Operation[]> {
  return repeat(untilAccepted(scope.jobName ?? '*', work), async () => {
    const operations = (await jobsIn(registry, scope, parts)).flatMap(decide);
    return (await isCommitted(registry, operations)) ? operations : undefined;
  });
}

/**
 * Reads the jobs of a scope.
 * @throws {UnknownJobError} @throws {UnknownServerError} @throws {InvalidArgumentError}
 */
export async function jobsIn(
  registry: RegistryCenter,
  { jobName, serverIp }: CommandScope,
  parts: readonly JobPart[],
): Promise<readonly JobFacts[]> {
  if (jobName !== undefined) pathsOf(jobName);
  if (serverIp !== undefined) assertServerIp(serverIp);
  const jobNames = jobName === undefined ? await jobNamesIn(registry) : [jobName];
  const jobs = await readJobs(registry, jobNames, parts);
  if (jobName !== undefined && jobs[0]?.root === undefined) throw await unknownJob(registry, jobName);
  const isKnown = (job: JobFacts) => [...job.servers, ...job.instances].some((one) => one.serverIp === serverIp);
  if (serverIp !== undefined && !jobs.some(isKnown)) throw new UnknownServerError(serverIp, jobName);
  return jobs;
}

/** Takes the instances of a scope out of their jobs. @returns their ids, in Java's order */
export async function shutDown(registry: RegistryCenter, scope: CommandScope): Promise<readonly string[]> {
  const how = { work: 'shutting instances down', parts: ['instances', 'servers'] } as const;
  const operations = await commitInScope(registry, scope, how, (job) => shutdownOperations(scope, job));
  return operations.map(({ path }) => path.slice(path.lastIndexOf('/') + 1));
}

/** Shuts the instances of a scope down and forgets their servers, or removes a created job as a whole. */
export async function remove(registry: RegistryCenter, scope: CommandScope): Promise<void> {
  let isCreated = false;
  const how = { work: 'removing servers', parts: ['instances', 'servers'] } as const;
  await commitInScope(registry, scope, how, (job) => {
    const removal = removalOperations(scope, job);
    isCreated = removal !== undefined;
    if (removal !== undefined) return removal;
    const servers = job.servers.filter((server) => isIn(scope, server));
    return [...shutdownOperations(scope, job), ...servers.map(({ serverIp }) => deletion(job.paths.server(serverIp)))];
  });
  if (!isCreated) return;
  const jobName = scope.jobName!;
  await removeAbandoned(registry, jobName).catch((error: unknown) => {
    throw errorOfLaterStep(error, { jobName, work: 'removing the job' });
  });
}

/** The data of its node decide on which server an instance is, as for Java. */
function shutdownOperations(scope: CommandScope, { paths, instances }: JobFacts): Operation[] {
  return instances
    .filter((instance) => isIn(scope, instance))
    .map(({ jobInstanceId }) => deletion(paths.instance(jobInstanceId)));
}

/** Operations that remove a job from a template as a whole; undefined if the command is for less. */
function removalOperations({ jobName, serverIp }: CommandScope, { root }: JobFacts): Operation[] | undefined {
  const created = parseCreatedJob(root?.data ?? '');
  if (jobName === undefined || serverIp !== undefined || root === undefined || created === undefined) return undefined;
  if (created.isBeingRemoved) return [];
  return [{ kind: 'set', path: root.path, data: removedRoot(created.template), version: root.stat.version }];
}

function deletion(path: string): Operation {
  return { kind: 'delete', path };
}
