/**
 * Notes of one instance on a job beside the values of its nodes, for as long as its tree is open: runs that only marks
 * have shown, the owners of the settings' nodes, and work that fails.
 */
import type { Clock } from '../../clock/index.js';
import { type LastRunKind, SparseMap } from '../../domain/index.js';
import type { NodeOwner, NodeOwners, RegistryNode, RequestOptions } from '../../registry/index.js';
import type { JobNode } from './job-node.js';

/**
 * Last begun run of each item, as far as one instance has seen. Our instances write the record together with the mark;
 * a mark without a record is a run of a Java peer.
 */
export class LastRuns {
  /** By item: the time at which a mark without a record appeared, or that a record was written. */
  private readonly runs = new SparseMap<number, number | 'recorded'>();

  note(change: 'created' | 'changed' | 'deleted', node: JobNode, clock: Pick<Clock, 'wallNow'>): void {
    switch (node.kind) {
      case 'item-running':
        if (change === 'created') this.runs.set(node.item, clock.wallNow());
        return;
      case 'item-record':
        // A begin creates the mark first and writes the record last, even a record that it had to create.
        if (change === 'changed') this.runs.set(node.item, 'recorded');
        return;
      case 'item':
        // A new item has no runs.
        this.runs.delete(node.item);
        return;
      default:
    }
  }

  /** Forgets everything, since anything may have happened. */
  forget(): void {
    this.runs.clear();
  }

  of(item: number): LastRunKind {
    const run = this.runs.get(item);
    return typeof run === 'number' ? 'unrecorded' : (run ?? 'unknown');
  }

  /** Time of a run without a record that no recorded run has followed, in milliseconds since the epoch. */
  unrecordedAt(item: number): number | undefined {
    const run = this.runs.get(item);
    return typeof run === 'number' ? run : undefined;
  }
}

/**
 * Trust in a node of settings. `unknown`: its owner was not asked since its creation. `foreign`: others may write it,
 * or have written it; the ACL names them.
 */
export type ConfigTrust =
  { readonly kind: 'own' } | { readonly kind: 'unknown' } | { readonly kind: 'foreign'; readonly acl: string };

const OWN: ConfigTrust = { kind: 'own' };

/**
 * Owner of a node of a job's settings. An ACL belongs to the node, so it is read once for each node that has the path.
 */
export class ConfigOwner {
  private latest: NodeOwner | undefined;
  private asking: Promise<void> | undefined;

  /** @param owners undefined if nodes have no owners */
  constructor(
    private readonly owners: NodeOwners | undefined,
    private readonly path: string,
  ) {}

  /** @param read returns the present node of the path; not called if nodes have no owners */
  trustIn(read: () => RegistryNode | undefined): ConfigTrust {
    const node = this.owners && read();
    if (node === undefined) return OWN;
    if (this.latest?.czxid !== node.stat.czxid) return { kind: 'unknown' };
    return this.latest.others === undefined ? OWN : { kind: 'foreign', acl: this.latest.others };
  }

  /** Asks for the owner of the present node of the path. */
  ask(options?: RequestOptions): Promise<void> {
    return (this.asking ??= this.askOnce(options).finally(() => (this.asking = undefined)));
  }

  private async askOnce(options?: RequestOptions): Promise<void> {
    this.latest = await this.owners?.ownerOf(this.path, options);
  }
}

/** A request of a job that the registry answers but refuses. */
export interface StandingRefusal {
  /** Time of the first refusal, in milliseconds since the epoch. */
  readonly since: number;
  /** The latest answer. */
  readonly error: unknown;
}

/** Work of an instance for a job that fails each time it is tried. */
export interface StandingFailure {
  /** The work, as a phrase: `leading the job`. */
  readonly work: string;
  /** Time of the first failure, in milliseconds since the epoch. */
  readonly since: number;
  /** The latest error. */
  readonly error: unknown;
}

/** Work for one job that fails at the moment, and is repeated. */
export class StandingFailures {
  // Most jobs never have one, and a process has thousands of jobs.
  private standing: Map<object, StandingFailure> | undefined;

  /** The failure that has stood longest; undefined if there is none. */
  get oldest(): StandingFailure | undefined {
    return [...(this.standing?.values() ?? [])].toSorted((a, b) => a.since - b.since)[0];
  }

  /**
   * @param work stands for the work, until it has ended
   * @param name of the work, as a phrase
   * @param at now
   * @returns true for its first failure
   */
  note(work: object, name: string, error: unknown, at: number): boolean {
    this.standing ??= new Map();
    const known = this.standing.get(work);
    this.standing.set(work, { work: name, since: known?.since ?? at, error });
    return known === undefined;
  }

  /** The work is done, or given up. */
  end(work: object): void {
    this.standing?.delete(work);
  }
}
