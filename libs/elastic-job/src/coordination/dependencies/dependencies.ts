import type { Clock } from '../../clock/index.js';
import {
  type AwayParent,
  ConfigurationError,
  type DependencyFacts,
  findDependencyFaults,
  formatParentProgress,
  formatStartLedger,
  type JobConfiguration,
  type JobName,
  NO_STARTS,
  type StartLedger,
  withParents,
} from '../../domain/index.js';
import { creation, type Operation, type RegistryCenter } from '../../registry/index.js';
import { type Configurations, parseConfiguration } from '../configuration/index.js';
import { instanceOf, JobPaths, type JobTree, type JobTrees, untilCommitted } from '../job-tree/index.js';
import type { LeadershipTerm } from '../leadership/index.js';
import { repeat } from '../../repeat/index.js';
import { awayParentOf, findAwayParents } from './away-parents.js';

const NONE: readonly never[] = [];

/** The parents of a job, as its leader has found them. */
interface FoundParents {
  /** Those that do not exist; the job is registered at them once they do. */
  readonly missing: readonly JobName[];
  /** Reasons why the job cannot start after the others. */
  readonly faults: readonly string[];
}

const ALL_THERE: FoundParents = { missing: NONE, faults: NONE };

/** Jobs after which a job starts: checks that this is possible, and registers the job at them. @see RunNotes */
export class Dependencies {
  /** Parents at which the job was found registered, joined into one text, by its tree. */
  private readonly kept = new WeakMap<JobTree, string>();
  private readonly away = new WeakMap<JobTree, readonly AwayParent[]>();

  constructor(
    private readonly trees: Pick<JobTrees, 'find'>,
    private readonly configurations: Configurations,
    private readonly registry: RegistryCenter,
    private readonly scheduleClock: Pick<Clock, 'wallNow'>,
  ) {}

  /**
   * Checks the dependencies before the job is installed.
   * @throws {ConfigurationError} if the job cannot start after the jobs that it names, as far as they are there
   */
  async assertPossible(tree: JobTree, { place }: { readonly place: string }): Promise<void> {
    const configuration = this.configurations.toBe(tree);
    const { after, jobName } = configuration;
    if (after.length === 0) return;
    const known = await this.readChains(after, tree.signal);
    const faults = [
      ...findDependencyFaults(factsOf(configuration), known),
      ...(await this.findPeers(after, tree.signal)),
    ];
    if (faults.length > 0) throw new ConfigurationError(`job "${jobName}" (${place})`, faults);
  }

  /**
   * Registers the settings' dependencies: the job at its parents, and the parents here. Parents that have come since
   * the job was installed are judged now.
   */
  async keep(tree: JobTree, { guard, signal }: LeadershipTerm): Promise<FoundParents> {
    const configuration = this.configurations.current(tree.jobName);
    const { after } = configuration;
    if (!this.isChild(tree)) return ALL_THERE;
    const ledger = tree.startLedger() ?? NO_STARTS;
    const isKnown = ledger.parents.join() === after.join();
    // A start before the first plan would belong to no item.
    if ((isKnown && this.kept.get(tree) === after.join()) || tree.items().length === 0) return ALL_THERE;
    const missing = await repeat(untilCommitted(tree, 'telling other jobs of a dependency', signal), async () => {
      const registration = await this.registration(tree, after, signal);
      const { operations } = registration;
      const isWritten =
        operations.length === 0 || (await tree.commit([...guard, ...operations], { signal })).kind === 'committed';
      return isWritten ? registration.missing : undefined;
    });
    const faults = findDependencyFaults(factsOf(configuration), await this.readChains(after, signal));
    if (missing.length === 0 && faults.length === 0) this.kept.set(tree, after.join());
    return { missing, faults };
  }

  /** True if the job starts after others, or did and is still registered at them. */
  isChild(tree: JobTree): boolean {
    return this.configurations.current(tree.jobName).after.length > 0 || tree.has(tree.paths.after);
  }

  /**
   * True if the job's record of its starts is unreadable. `keep` creates it anew, and starts that have not begun are
   * lost.
   */
  isDamaged(tree: JobTree): boolean {
    return tree.node(tree.paths.after) !== undefined && tree.startLedger() === undefined;
  }

  /** True if somebody has deleted the job's record of its starts. */
  isLost(tree: JobTree): boolean {
    return !tree.has(tree.paths.after) && this.configurations.current(tree.jobName).after.length > 0;
  }

  /** Looks which parents do not run now: from memory if this process takes part in them all. @see findAwayParents */
  async findAway(tree: JobTree): Promise<readonly AwayParent[]> {
    const { after } = this.configurations.current(tree.jobName);
    const known = after.map((parent) => this.trees.find(parent));
    const others = after.filter((_, index) => known[index] === undefined);
    const own = known.flatMap((parent) => (parent === undefined ? [] : (awayParentOf(parent) ?? [])));
    if (others.length === 0) return own;
    return [...own, ...(await findAwayParents(this.registry, tree.jobName, others, { signal: tree.signal }))];
  }

  /** Notes the parents that do not run, as this instance has reported as leader. */
  noteAway(tree: JobTree, parents: readonly AwayParent[]): void {
    this.away.set(tree, parents);
  }

  /** Parents that did not run when this instance last looked, as leader. */
  awayParents(tree: JobTree): readonly AwayParent[] {
    const away = this.away.get(tree) ?? NONE;
    const { after } = this.configurations.current(tree.jobName);
    return away.length === 0 ? away : away.filter(({ jobName }) => after.includes(jobName));
  }

  /** Makes the next `keep` look at the parents again, since one may have been removed and installed anew. */
  forget(tree: JobTree): void {
    this.kept.delete(tree);
  }

  private async registration(tree: JobTree, after: readonly JobName[], signal: AbortSignal) {
    const ledger = tree.startLedger() ?? NO_STARTS;
    const former = ledger.parents.filter((name) => !after.includes(name));
    const registered = await Promise.all(after.map((parent) => this.registerAt(parent, tree.jobName, signal)));
    const unregistered = await Promise.all(former.map((parent) => this.unregisterAt(parent, tree.jobName, signal)));
    const operations = [
      ...registered.flatMap((one) => one ?? []),
      ...unregistered.flat(),
      ...ownOperations(tree, ledger, after),
    ];
    return { operations, missing: after.filter((_, index) => registered[index] === undefined) };
  }

  /** @returns undefined if there is no such job; the child is registered once there is */
  private async registerAt(parent: JobName, child: JobName, signal: AbortSignal): Promise<Operation[] | undefined> {
    const { root, dependents, dependent } = pathsAt(parent, child);
    const [job, list, entry] = await this.registry.readMany([root, dependents, dependent], { signal });
    if (job === undefined) return undefined;
    // A run under way can no longer be counted from its beginning.
    const data = formatParentProgress({ closedUpTo: this.scheduleClock.wallNow(), runs: new Map() });
    return [
      ...(list === undefined ? [creation(dependents, data)] : []),
      ...(entry === undefined ? [creation(dependent)] : []),
    ];
  }

  private async unregisterAt(parent: JobName, child: JobName, signal: AbortSignal): Promise<Operation[]> {
    const { dependent } = pathsAt(parent, child);
    const stat = await this.registry.exists(dependent, { signal });
    return stat === undefined ? [] : [{ kind: 'delete', path: dependent }];
  }

  /** Reads the chains of dependencies. A job that is not in the registry yet may be declared in this process. */
  private async readChains(after: readonly JobName[], signal: AbortSignal) {
    const known = new Map<JobName, DependencyFacts>();
    for (let names = after; names.length > 0;) {
      const nodes = await this.registry.readMany(
        names.map((name) => new JobPaths(name).config),
        { signal },
      );
      const read = names.map((name, index) => this.factsOf(name, nodes[index]?.data, signal));
      const found = (await Promise.all(read)).filter((one) => one !== undefined);
      for (const facts of found) known.set(facts.jobName, facts);
      names = [...new Set(found.flatMap((facts) => facts.after))].filter((name) => !known.has(name));
    }
    return known;
  }

  private async factsOf(
    jobName: JobName,
    text: string | undefined,
    signal: AbortSignal,
  ): Promise<DependencyFacts | undefined> {
    if (text === undefined) {
      const declared = this.configurations.declared(jobName);
      return declared && factsOf(declared);
    }
    try {
      return parseFacts(jobName, text);
    } catch (error) {
      // The last usable text is in force there.
      const kept = await this.registry.read(new JobPaths(jobName).usableConfig, { signal });
      if (kept === undefined) throw error;
      return parseFacts(jobName, kept.data);
    }
  }

  /** Finds Java peers of the parents, since there is no way to know how their items end. */
  private async findPeers(after: readonly JobName[], signal: AbortSignal): Promise<readonly string[]> {
    const faults = after.map(async (name) => {
      const { instances } = new JobPaths(name);
      if ((await this.registry.exists(instances, { signal })) === undefined) return [];
      const ids = await this.registry.children(instances, { signal });
      const nodes = await this.registry.readMany(
        ids.map((id) => `${instances}/${id}`),
        { signal },
      );
      const peers = ids.filter((id, index) => instanceOf(id, nodes[index])?.isOurs === false);
      return peers.length === 0 ? [] : [`after "${name}": it is shared with Java (${peers.join(', ')})`];
    });
    return (await Promise.all(faults)).flat();
  }
}

function ownOperations(tree: JobTree, ledger: StartLedger, after: readonly JobName[]): Operation[] {
  const path = tree.paths.after;
  const version = tree.stat(path)?.version;
  if (after.length === 0) return version === undefined ? [] : [{ kind: 'delete', path, version }];
  const data = formatStartLedger(withParents(ledger, after));
  if (version === undefined) return [creation(path, data)];
  return ledger.parents.join() === after.join() ? [] : [{ kind: 'set', path, data, version }];
}

function pathsAt(parent: JobName, child: JobName) {
  const paths = new JobPaths(parent);
  return { root: paths.root, dependents: paths.dependents, dependent: paths.dependent(child) };
}

function factsOf(configuration: JobConfiguration): DependencyFacts {
  const { jobName, after, cron, timeZone, clockChange, monitorExecution, resident } = configuration;
  return { jobName, after, cron, timeZone, clockChange, monitorExecution, resident };
}

function parseFacts(jobName: JobName, text: string): DependencyFacts {
  const { cron, timeZone, monitorExecution, nestjs } = parseConfiguration(text, jobName);
  return {
    jobName,
    after: cron ? [] : (nestjs.after ?? []),
    cron: cron || undefined,
    timeZone: nestjs.timeZone ?? (timeZone || undefined),
    clockChange: nestjs.clockChange ?? 'quartz',
    monitorExecution: monitorExecution ?? false,
    resident: nestjs.resident ?? false,
  };
}
