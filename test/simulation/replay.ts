import type { Commit } from './history.js';

export interface ReplayedNode {
  readonly data: string;
  readonly createdAt: number;
  readonly createdBy: string;
  /** Transaction that created it. */
  readonly zxid: bigint;
  readonly version: number;
}

/** The registry's tree, commit by commit. */
export class Replay {
  private readonly nodes = new Map<string, ReplayedNode>();

  apply({ at, zxid, session, writes }: Commit): void {
    for (const { kind, path, data } of writes) {
      const before = this.nodes.get(path);
      if (kind === 'deleted') this.nodes.delete(path);
      else if (kind === 'created') {
        this.nodes.set(path, { data, createdAt: at, createdBy: session, zxid, version: 0 });
      } else if (before !== undefined) this.nodes.set(path, { ...before, data, version: before.version + 1 });
    }
  }

  /** A copy of the tree as it is now. */
  copy(): Replay {
    const copy = new Replay();
    for (const [path, node] of this.nodes) copy.nodes.set(path, node);
    return copy;
  }

  get(path: string): ReplayedNode | undefined {
    return this.nodes.get(path);
  }

  has(path: string): boolean {
    return this.nodes.has(path);
  }

  paths(): Iterable<string> {
    return this.nodes.keys();
  }

  /** The names below a node. */
  children(path: string): string[] {
    const names: string[] = [];
    for (const candidate of this.nodes.keys()) {
      if (candidate.startsWith(`${path}/`) && !candidate.includes('/', path.length + 1)) {
        names.push(candidate.slice(path.length + 1));
      }
    }
    return names;
  }
}
