import { isDeepStrictEqual } from 'node:util';
import { TreeWitness } from '@test/support/peers/tree-witness.js';
import type { JobPlan, TreeSight } from '../check/index.js';

/** Nodes of an item that runs, or waits to be run again. */
const MARK = /\/items\/[^/]+$|\/\d+\/(running|failover|failovering)$/;
/** Nodes that must be gone, beside those, after an instance has left or was found dead. */
const MEMBER = /\/(instances|sessions)\/[^/]+$|\/election\/instance$/;

/** The workers of the jobs, as the tree tells them apart. */
interface Workers {
  /** The living ones. */
  readonly all: readonly { readonly ip: string }[];
  /** Also finds those that are gone. */
  nameOf(ip: string | undefined): string | undefined;
}

type WatchedJob = Pick<JobPlan, 'name' | 'items'>;

/** A node that should be gone. */
export interface Litter {
  readonly job: string;
  readonly path: string;
  readonly text: string;
}

/** Watches who leads, owns and runs the jobs, on a connection of its own that no fault of a worker touches. */
export class TreeWatch {
  readonly sights: TreeSight[] = [];
  readonly #witnesses = new Map<string, TreeWitness>();

  private constructor(private readonly workforce: Workers) {}

  static async open(
    servers: string,
    namespace: string,
    jobs: readonly WatchedJob[],
    workforce: Workers,
  ): Promise<TreeWatch> {
    const watch = new TreeWatch(workforce);
    for (const plan of jobs) {
      const onChange = () => watch.#look(plan);
      watch.#witnesses.set(plan.name, await TreeWitness.open({ servers, namespace, job: plan.name, onChange }));
    }
    return watch;
  }

  /** Name of the worker that leads the job now. */
  leader(job: string): string | undefined {
    return this.workforce.nameOf(this.#witnesses.get(job)?.leader());
  }

  /** The connection by which an operator edits the job, with the job's nodes. */
  operatorOf(job: string): Pick<TreeWitness, 'registry' | 'nodes'> {
    return this.#witnesses.get(job)!;
  }

  /** Resolves when exactly the living workers share every job. @throws if they do not within the limit */
  untilShared(limitMs: number): Promise<void> {
    return this.#until('the workers share the jobs', limitMs, (witness) => witness.isPlannedFor(this.workforce.all));
  }

  /** Resolves when the job has that node. @throws if it does not get it within the limit */
  untilThere(job: string, path: string, limitMs: number): Promise<void> {
    return this.#until(`${path} is there`, limitMs, (witness, name) => name !== job || witness.has(path));
  }

  /** Resolves when no item of the job runs or waits to be run again. @throws if there is one all the time */
  untilIdle(job: string, limitMs: number): Promise<void> {
    const isIdle = (witness: TreeWitness) => pathsOf(witness, MARK).length === 0;
    return this.#until('no item runs', limitMs, (witness, name) => name !== job || isIdle(witness));
  }

  /** Nodes that are still left over after at most so many milliseconds. */
  async litter(limitMs: number): Promise<readonly Litter[]> {
    await this.#until('nothing is left', limitMs, (witness) => litterOf(witness).length === 0).catch(() => {});
    const found = [...this.#witnesses].map(async ([job, witness]) => {
      const paths = litterOf(witness);
      const nodes = await Promise.all(paths.map((path) => witness.registry.read(path)));
      return nodes.flatMap((node) => (node === undefined ? [] : [{ job, path: node.path, text: node.data }]));
    });
    return (await Promise.all(found)).flat();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#witnesses.values()].map((witness) => witness.stop()));
  }

  async #until(what: string, limitMs: number, holds: (witness: TreeWitness, job: string) => boolean): Promise<void> {
    await Promise.all(
      [...this.#witnesses].map(async ([job, witness]) => {
        const signal = AbortSignal.timeout(limitMs);
        while (!holds(witness, job)) {
          if (signal.aborted) throw new Error(`Not in ${limitMs} ms: ${what} (${job}).`);
          await nextChange(witness, signal);
        }
      }),
    );
  }

  #look({ name: job, items }: WatchedJob): void {
    const witness = this.#witnesses.get(job);
    if (witness === undefined) return;
    const leader = this.leader(job);
    const owners = witness.owners(items).map((ip) => this.workforce.nameOf(ip));
    const holders = witness.holders(items).map((ip) => this.workforce.nameOf(ip));
    const last = this.sights.findLast((sight) => sight.job === job);
    const sight = { job, at: Date.now(), leader, owners, holders };
    if (last === undefined || !isDeepStrictEqual({ ...sight, at: last.at }, last)) this.sights.push(sight);
  }
}

function litterOf(witness: TreeWitness): readonly string[] {
  return [...pathsOf(witness, MARK), ...pathsOf(witness, MEMBER)];
}

function pathsOf(witness: TreeWitness, form: RegExp): readonly string[] {
  return witness.nodes().flatMap(({ path }) => (form.test(path) ? [path] : []));
}

function nextChange(witness: TreeWitness, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stopListening();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const stopListening = witness.onChange(done);
    signal.addEventListener('abort', done);
  });
}
