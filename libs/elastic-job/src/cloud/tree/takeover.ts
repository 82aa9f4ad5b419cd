/**
 * Takes over the work that ElasticJob-Cloud's schedulers have left in a namespace, and passes it to the schedulers of
 * this library.
 *
 * ```mermaid
 * stateDiagram-v2
 *   left: ready, running, failover
 *   pending: state/takeover
 *   left --> pending: take, one transaction for each job
 *   pending --> [*]: settle, once Lite's tree has it
 * ```
 *
 * Guarantees: the work of each job is either still there, or a pending handover, never both and never neither; after a
 * crash at any point the takeover is repeated. Each transaction commits only while no scheduler of ElasticJob-Cloud
 * stands for election. A repeated takeover adds its findings to the pending ones.
 *
 * Failures: while a scheduler of ElasticJob-Cloud lives, nothing is taken. A job whose configuration cannot be used is
 * left as it is. Of several schedulers of ours that take over at once, each job is taken by one.
 */
import { untilAccepted } from '../../coordination/index.js';
import { type JobName, readFields } from '../../domain/index.js';
import { creation, type Operation, type RegistryCenter, type RegistryNode } from '../../registry/index.js';
import { repeat } from '../../repeat/index.js';
import { CLOUD_JOB_FORM } from './cloud-jobs.js';
import { childrenOf } from './cloud-nodes.js';
import { CLOUD_PATHS } from './cloud-paths.js';
import { LiveCloudSchedulerError } from './cloud-tree.errors.js';
import { type CloudDebts, decideTakeover, type TakeoverEvent } from './takeover.decision.js';

const LEFT = [CLOUD_PATHS.ready, CLOUD_PATHS.failover, CLOUD_PATHS.running] as const;
/** Most entries of a job in one transaction; more than any real job has. */
const MOST_ENTRIES = 1_000;

/** Work of a job that was taken over, and is not yet in Lite's tree. */
export interface CloudHandover extends CloudDebts {
  readonly jobName: JobName;
  /** Name of the findings: unique, and changed by an addition. */
  readonly id: string;
}

/** Work taken by one transaction. */
interface Taken {
  readonly events: readonly TakeoverEvent[];
  readonly isAll: boolean;
}

/** Takes over a namespace of ElasticJob-Cloud 3.0.x. */
export class CloudTakeover {
  constructor(private readonly registry: RegistryCenter) {}

  /**
   * Takes over the present leftovers. Idempotent, and to be repeated after an error.
   * @returns the findings; empty if nothing was left
   * @throws {LiveCloudSchedulerError}
   */
  async run(): Promise<readonly TakeoverEvent[]> {
    // Checked even if nothing is left: a living scheduler runs the registered jobs.
    await this.assertNobodyElected();
    const left = await this.registry.readMany(LEFT);
    if (left.every((root) => root === undefined)) return [];
    await this.registry.ensurePath(CLOUD_PATHS.election);
    await this.registry.ensurePath(CLOUD_PATHS.takeovers);
    const events: TakeoverEvent[] = [];
    for (const jobName of await this.jobsWithLeftovers()) events.push(...(await this.take(jobName)));
    await this.removeRoots();
    return [...events, ...(await this.keptDisables())];
  }

  /** Handovers that are not in Lite's tree yet, in the order of the jobs' names. */
  async pending(): Promise<readonly CloudHandover[]> {
    const names = await childrenOf(this.registry, CLOUD_PATHS.takeovers);
    const nodes = await this.registry.readMany(names.map((name) => CLOUD_PATHS.takeover(name)));
    return nodes.flatMap((node, index) => {
      if (node === undefined) return [];
      return [{ jobName: names[index]!, id: idOf(node), ...debtsIn(node.data) }];
    });
  }

  /**
   * Drops a handover, once Lite's tree has it.
   * @param rest the part that Lite's tree does not have yet. @default nothing
   * @returns false if something was added to it meanwhile
   */
  async settle({ jobName, id }: CloudHandover, rest: CloudDebts = { runs: 0, items: [] }): Promise<boolean> {
    const node = await this.registry.read(CLOUD_PATHS.takeover(jobName));
    if (node === undefined) return true;
    if (idOf(node) !== id) return false;
    const { path, stat } = node;
    const isAll = rest.runs === 0 && rest.items.length === 0;
    const kept: Operation = { kind: 'set', path, data: formatDebts(rest), version: stat.version };
    const result = await this.registry.transaction([isAll ? remove(path, stat.version) : kept]);
    return result.kind === 'committed' || result.refusal === 'NO_NODE';
  }

  private async jobsWithLeftovers(): Promise<readonly JobName[]> {
    const names = new Set<JobName>();
    for (const root of LEFT) for (const name of await childrenOf(this.registry, root)) names.add(name);
    return [...names].toSorted();
  }

  private async take(jobName: JobName): Promise<readonly TakeoverEvent[]> {
    const events: TakeoverEvent[] = [];
    for (;;) {
      const taken = await repeat(untilAccepted(jobName, 'its takeover'), () => this.takeSome(jobName));
      events.push(...taken.events);
      if (taken.isAll) return events;
    }
  }

  /** @returns undefined if the nodes were changed meanwhile */
  private async takeSome(jobName: JobName): Promise<Taken | undefined> {
    const [ready, config, pending, failoverRoot, runningRoot] = await this.registry.readMany([
      CLOUD_PATHS.readyJob(jobName),
      CLOUD_PATHS.job(jobName),
      CLOUD_PATHS.takeover(jobName),
      CLOUD_PATHS.failoverJob(jobName),
      CLOUD_PATHS.runningJob(jobName),
    ]);
    const failover = await childrenOf(this.registry, CLOUD_PATHS.failoverJob(jobName));
    const running = await childrenOf(this.registry, CLOUD_PATHS.runningJob(jobName));
    const isAll = failover.length + running.length <= MOST_ENTRIES;
    const found = {
      jobName,
      configuration: config && CLOUD_JOB_FORM.read(config.data, jobName),
      ready: ready?.data,
      failover: failover.slice(0, MOST_ENTRIES),
      running: running.slice(0, Math.max(0, MOST_ENTRIES - failover.length)),
    };
    const decision = decideTakeover(found);
    if (decision.kind === 'leave') return { events: decision.events, isAll: true };
    const roots = [failoverRoot, runningRoot].filter((root) => root !== undefined);
    const result = await this.registry.transaction([
      NOBODY_ELECTED,
      ...(config === undefined ? [] : [check(config)]),
      ...(ready === undefined ? [] : [remove(ready.path, ready.stat.version)]),
      ...found.failover.map((name) => remove(`${CLOUD_PATHS.failoverJob(jobName)}/${name}`)),
      ...found.running.map((name) => remove(`${CLOUD_PATHS.runningJob(jobName)}/${name}`)),
      ...(isAll ? roots.map(({ path }) => remove(path)) : []),
      ...handOver(jobName, decision.debts, pending),
    ]);
    if (result.kind === 'committed') return { events: decision.events, isAll };
    if (result.path === CLOUD_PATHS.election) {
      await this.assertNobodyElected();
      await this.registry.ensurePath(CLOUD_PATHS.election);
    }
    return undefined;
  }

  /** Removes the roots that are no longer needed. Entries that were added meanwhile stay. */
  private async removeRoots(): Promise<void> {
    for (const root of LEFT) await this.registry.transaction([NOBODY_ELECTED, remove(root)]);
  }

  private async keptDisables(): Promise<readonly TakeoverEvent[]> {
    const apps = await childrenOf(this.registry, CLOUD_PATHS.disabledApps);
    const jobs = await childrenOf(this.registry, CLOUD_PATHS.disabledJobs);
    return [
      ...apps.map((name) => ({ kind: 'disable-kept', of: 'app', name }) as const),
      ...jobs.map((name) => ({ kind: 'disable-kept', of: 'job', name }) as const),
    ];
  }

  /** @throws {LiveCloudSchedulerError} */
  private async assertNobodyElected(): Promise<void> {
    const names = await childrenOf(this.registry, CLOUD_PATHS.election);
    if (names.length === 0) return;
    const nodes = await this.registry.readMany(names.map((name) => `${CLOUD_PATHS.election}/${name}`));
    throw new LiveCloudSchedulerError(nodes.map((node, index) => node?.data || names[index]!));
  }
}

/** Commits only while no scheduler of ElasticJob-Cloud stands for election: a node with children cannot be renewed. */
const NOBODY_ELECTED: Operation = { kind: 'renew', path: CLOUD_PATHS.election, data: '', mode: 'PERSISTENT' };

/** Adds the debts to those that are pending. */
function handOver(jobName: JobName, { runs, items }: CloudDebts, pending: RegistryNode | undefined): Operation[] {
  if (runs === 0 && items.length === 0) return [];
  const path = CLOUD_PATHS.takeover(jobName);
  if (pending === undefined) return [creation(path, formatDebts({ runs, items }))];
  const before = debtsIn(pending.data);
  const all = new Set([...before.items, ...items]);
  const data = formatDebts({ runs: before.runs + runs, items: [...all].toSorted((a, b) => a - b) });
  return [{ kind: 'set', path, data, version: pending.stat.version }];
}

function formatDebts({ runs, items }: CloudDebts): string {
  return JSON.stringify({ v: 1, runs, items });
}

/** Returns no debts for a foreign text. */
function debtsIn(text: string): CloudDebts {
  const { runs, items } = readFields(text) ?? {};
  const known = Array.isArray(items) ? items.filter((item): item is number => Number.isSafeInteger(item)) : [];
  return { runs: typeof runs === 'number' && Number.isSafeInteger(runs) ? runs : 0, items: known };
}

function idOf({ stat }: RegistryNode): string {
  return `${stat.czxid.toString(16)}-${stat.version}`;
}

function check({ path, stat }: RegistryNode): Operation {
  return { kind: 'check', path, version: stat.version };
}

function remove(path: string, version?: number): Operation {
  return { kind: 'delete', path, version };
}
