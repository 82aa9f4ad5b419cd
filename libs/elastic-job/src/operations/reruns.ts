/**
 * Re-runs of past fire times, from the operator's side. Instances of ours run them.
 *
 * State: a node `reruns/{id}` for each open re-run, and below it one for each item that has ended a target. An instance
 * writes the latter, in the transaction that settles the target. The leader removes a re-run once it is done.
 *
 * Guarantees: a re-run is asked for by one transaction. It raises the version of `reruns`, so of several operators at
 * the same time each counts the re-runs of the others: the limits hold. It checks the versions of root and `config` by
 * which it was judged. From the transaction that withdraws a re-run on nothing more of it begins.
 *
 * Failures: a Java instance, or one of a release before re-runs, may join at any time. Then nothing of a re-run begins
 * until it has left. If the operator's process dies between withdrawal and removal, the leader removes the re-run.
 */
import type { Clock } from '../clock/index.js';
import {
  childrenFirst,
  errorOfLaterStep,
  isCommitted,
  type JobPaths,
  parseConfiguration,
  unknownJob,
  untilAccepted,
} from '../coordination/index.js';
import {
  formatRerun,
  inOrderOfReruns,
  type JobName,
  parseCreatedJob,
  parseRerun,
  parseRerunProgress,
  type Rerun,
  type RerunProgress,
  rerunTargets,
  RUNS_RERUNS,
} from '../domain/index.js';
import { creation, namesBelow, type Operation, type RegistryCenter, type RegistryNode } from '../registry/index.js';
import { repeat } from '../repeat/index.js';
import { assertReadable, assertRerunId, pathsOf } from './command-arguments.js';
import { type JobFacts, type JobPart, readJob } from './job-facts.js';
import { type RerunFacts, rerunOf, type RerunOptions, RerunRefusals } from './rerun-request.js';
import { UnknownRerunError } from './rerun.errors.js';

/** Result of a request for a re-run. */
export interface RerunReceipt {
  /** Id of the re-run: `ShardingContext.trigger.id` of its runs. */
  readonly id: string;
  /** Number of its targets: one for each item and fire time. */
  readonly targets: number;
  /** Ids of the instances for which it waits, in Java's order: those of a release that has no re-runs. */
  readonly waitsFor: readonly string[];
}

/** Progress of an item with a re-run. */
export interface RerunItemProgress {
  readonly item: number;
  /** Fire times that have ended: the oldest ones. */
  readonly ended: number;
  /** Those of them that have ended without success. */
  readonly failed: number;
}

/** A re-run that has not ended yet. Instants are in milliseconds since the epoch. */
export interface OpenRerun {
  readonly id: string;
  /** When it was asked for. */
  readonly at: number;
  /** Ascending. */
  readonly items: readonly number[];
  /** Ascending. */
  readonly fireTimes: readonly number[];
  readonly parameters: string | undefined;
  readonly anyTime: boolean;
  /** True if it is withdrawn and about to be removed: nothing more of it begins. */
  readonly withdrawn: boolean;
  /** Number of its targets: one for each item and fire time. */
  readonly targets: number;
  /** By ascending item. */
  readonly progress: readonly RerunItemProgress[];
  /** Ids of the instances for which it waits, in Java's order: those of a release that has no re-runs, and Java's. */
  readonly waitsFor: readonly string[];
}

/** An open re-run, by its id. */
export interface KnownRerun {
  readonly id: string;
  readonly rerun: Rerun;
}

/** A job, its settings and its open re-runs, as of one moment. */
export interface ReadForRerun extends RerunFacts {
  readonly job: JobFacts;
  readonly root: RegistryNode;
  readonly config: RegistryNode | undefined;
  /** Parent of the re-runs, read before these; undefined if there is none yet. */
  readonly parent: RegistryNode | undefined;
  /** Oldest first, without those that are withdrawn. */
  readonly known: readonly KnownRerun[];
}

/**
 * @throws {UnknownJobError} also for a job that is being removed
 * @throws {ConfigurationNodeError} @throws {ElasticJob2ConfigurationError}
 */
export async function readForRerun(
  registry: RegistryCenter,
  paths: JobPaths,
  parts: readonly JobPart[] = ['instances', 'items'],
): Promise<ReadForRerun> {
  const [job, [parent]] = await Promise.all([readJob(registry, paths, parts), registry.readMany([paths.reruns])]);
  const { config, root } = job;
  const isGone = root === undefined || parseCreatedJob(root.data)?.isBeingRemoved === true;
  if (isGone) throw await unknownJob(registry, paths.jobName);
  const settings = parseConfiguration(config?.data ?? '', paths.jobName);
  const known = (await readReruns(registry, paths)).filter(({ rerun }) => rerun.withdrawn !== true);
  return { job, root, config, settings, parent, known, open: known.map(({ rerun }) => rerun) };
}

/**
 * Writes a re-run.
 * @throws as `readForRerun` does, and all errors of `RerunRefusals`
 * @throws {InvalidArgumentError} @throws {ConfigurationError} @throws {RequestTooLargeError}
 */
export async function requestRerun(
  registry: RegistryCenter,
  clock: Clock,
  jobName: JobName,
  options: RerunOptions,
): Promise<RerunReceipt> {
  const paths = pathsOf(jobName);
  const id = clock.uuid();
  const at = timeOf(registry, clock);
  const asked = rerunOf('JobOperateApi.rerun', options, at);
  const text = formatRerun({ at, ...asked });
  assertReadable(`rerun ${jobName}`, text);
  return repeat(untilAccepted(jobName, 'asking for a re-run'), async () => {
    const facts = await readForRerun(registry, paths);
    const refusal = new RerunRefusals(facts, asked).first();
    if (refusal !== undefined) throw refusal;
    const { config, parent, root } = facts;
    const operations: Operation[] = [
      { kind: 'check', path: root.path, version: root.stat.version },
      { kind: 'check', path: paths.config, version: config?.stat.version },
      // Written in any case, so that another operator who has counted the open re-runs before is refused.
      parent === undefined
        ? creation(paths.reruns)
        : { kind: 'set', path: parent.path, data: parent.data, version: parent.stat.version },
      creation(paths.rerun(id), text),
    ];
    if (!(await isCommitted(registry, operations))) return undefined;
    return Object.freeze({ id, targets: rerunTargets(asked), waitsFor: waitedFor(facts.job) });
  });
}

/**
 * Withdraws a re-run, and removes it.
 * @throws {UnknownJobError} @throws {UnknownRerunError} @throws {InvalidArgumentError}
 * @throws {PartlyDoneError} if it is withdrawn and could not be removed
 */
export async function withdrawRerun(registry: RegistryCenter, jobName: JobName, id: string): Promise<void> {
  const paths = pathsOf(jobName);
  assertRerunId(id);
  const work = 'withdrawing a re-run';
  await repeat(untilAccepted(jobName, work), async () => {
    const [root, node] = await registry.readMany([paths.root, paths.rerun(id)]);
    if (root === undefined) throw await unknownJob(registry, jobName);
    if (node === undefined) throw new UnknownRerunError(jobName, id);
    const rerun = parseRerun(node.data);
    // Nothing begins of a damaged one.
    if (rerun === undefined || rerun.withdrawn === true) return true;
    const data = formatRerun({ ...rerun, withdrawn: true });
    return (
      (await isCommitted(registry, [{ kind: 'set', path: node.path, data, version: node.stat.version }])) || undefined
    );
  });
  try {
    await repeat(untilAccepted(jobName, work), async () => {
      // An instance may settle a target that still ran, and so write its progress.
      for await (const some of childrenFirst(registry, paths.rerun(id))) {
        const deletions = some.map((path): Operation => ({ kind: 'delete', path }));
        if (!(await isCommitted(registry, deletions))) return undefined;
      }
      return true;
    });
  } catch (error) {
    throw errorOfLaterStep(error, { jobName, work });
  }
}

/** The open re-runs of a job, the oldest first, also those that are withdrawn. @throws {UnknownJobError} */
export async function openReruns(registry: RegistryCenter, paths: JobPaths): Promise<readonly OpenRerun[]> {
  const [job, known] = await Promise.all([readJob(registry, paths, ['instances']), readReruns(registry, paths)]);
  if (job.root === undefined) throw await unknownJob(registry, paths.jobName);
  const progress = await readProgress(registry, paths, known);
  const waitsFor = waitedFor(job);
  return Object.freeze(
    known.map(({ id, rerun }) =>
      Object.freeze({
        id,
        at: rerun.at,
        items: rerun.items,
        fireTimes: rerun.fireTimes,
        parameters: rerun.parameters,
        anyTime: rerun.anyTime === true,
        withdrawn: rerun.withdrawn === true,
        targets: rerunTargets(rerun),
        progress: Object.freeze(
          rerun.items.map((item) => {
            const { ended = 0, failed = 0 } = progress.get(paths.rerunItem(id, item)) ?? {};
            return Object.freeze({ item, ended, failed });
          }),
        ),
        waitsFor,
      }),
    ),
  );
}

/** Progress of items with re-runs, by the path of its node. */
export async function readProgress(
  registry: RegistryCenter,
  paths: JobPaths,
  reruns: readonly KnownRerun[],
): Promise<ReadonlyMap<string, RerunProgress>> {
  const wanted = reruns.flatMap(({ id, rerun }) => rerun.items.map((item) => paths.rerunItem(id, item)));
  const nodes = wanted.length === 0 ? [] : await registry.readMany(wanted);
  return new Map(
    nodes.flatMap((node) => {
      const progress = parseRerunProgress(node?.data ?? '');
      return node === undefined || progress === undefined ? [] : [[node.path, progress] as const];
    }),
  );
}

/** Milliseconds since the epoch, on the registry's clock if it is known. */
export function timeOf(registry: RegistryCenter, clock: Clock): number {
  return registry.time()?.earliest ?? clock.wallNow();
}

/** Ids of the instances that cannot run re-runs, in Java's order. */
export function waitedFor({ instances }: Pick<JobFacts, 'instances'>): readonly string[] {
  return Object.freeze(instances.flatMap(({ can, jobInstanceId }) => (can.includes(RUNS_RERUNS) ? [] : jobInstanceId)));
}

/** The oldest first, without damaged ones. */
async function readReruns(registry: RegistryCenter, paths: JobPaths): Promise<readonly KnownRerun[]> {
  const ids = await namesBelow(registry, paths.reruns);
  const nodes = ids.length === 0 ? [] : await registry.readMany(ids.map((id) => paths.rerun(id)));
  return inOrderOfReruns(
    ids.flatMap((id, index) => {
      const rerun = parseRerun(nodes[index]?.data ?? '');
      return rerun === undefined ? [] : [{ id, rerun }];
    }),
  );
}
