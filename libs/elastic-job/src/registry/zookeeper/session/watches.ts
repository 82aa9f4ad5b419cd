import type { RegistryNode } from '../../registry-center.js';
import type { WatchedPaths } from '../wire/index.js';

/** Event of one node. `children`: its children have changed, which only non-recursive watches report. */
export type NodeEventKind = 'created' | 'deleted' | 'changed' | 'children';

/** Event of a node that an operation names. */
export type OwnEventKind = Exclude<NodeEventKind, 'children'>;

/** A write of this client whose answer comes next. */
export interface ExpectedEvents {
  /** @returns true if this is its next event, which it will deliver itself */
  takes(kind: NodeEventKind, absolutePath: string): boolean;
}

/**
 * Watches one path, or a path and everything below it, for the life of a session. Its methods must not throw. They are
 * called in the order of the server, in line with the replies.
 */
export interface Watcher {
  /** True if it also watches everything below the path. */
  readonly isRecursive: boolean;
  /** @param absolutePath the server's path */
  receive(kind: NodeEventKind, absolutePath: string): void;
  /**
   * A write of this client has done this. Called in place of `receive`, with the answer.
   * @param path the port's path
   * @param node the node as it is now; undefined if it was deleted, or if the answer does not show it
   */
  receiveOwn(kind: OwnEventKind, path: string, node: RegistryNode | undefined): void;
  /** A write of this client was answered, with this node as its result. Its event, if there is one, comes by itself. */
  wrote(node: RegistryNode): void;
  /** A new connection serves the same session, and the watch is set again. Changes in between are not delivered. */
  reconnected(): void;
  /** The session is over. */
  lost(): void;
}

/** ZooKeeper's event numbers. */
const KINDS: ReadonlyMap<number, NodeEventKind> = new Map([
  [1, 'created'],
  [2, 'deleted'],
  [3, 'changed'],
  [4, 'children'],
]);

/** Keeps a piece below the server's limit of a megabyte even if paths are long. */
const LONGEST_PIECE_BYTES = 128 * 1024;

/** Watchers by path. */
export class Watches {
  private readonly watchers = new Map<string, readonly Watcher[]>();
  /** Number of watched paths per depth. There are few depths, and an event is looked up at these only. */
  private readonly depths = new Map<number, number>();
  /** Watched depths, the deepest first. */
  private watchedDepths: readonly number[] = [];
  /** Watchers of what is below one path at the deepest watched depth: events and writes of a job come in a row. */
  private lastFound: { readonly below: string; readonly watchers: readonly Watcher[] } | undefined;

  /** The own write whose answer comes next. */
  private expected: ExpectedEvents | undefined;

  add(path: string, watcher: Watcher): void {
    this.lastFound = undefined;
    const others = this.watchers.get(path);
    // Most paths have one watcher, and a spread list reserves room for sixteen more.
    this.watchers.set(path, others ? [...others, watcher] : [watcher]);
    if (!others) this.count(path, 1);
  }

  /** @returns true if this removed the last watcher of the path */
  remove(path: string, watcher: Watcher): boolean {
    const watchers = this.watchers.get(path);
    if (!watchers?.includes(watcher)) return false;
    this.lastFound = undefined;
    const others = watchers.filter((one) => one !== watcher);
    if (others.length > 0) this.watchers.set(path, others);
    if (others.length > 0) return false;
    this.count(path, -1);
    return this.watchers.delete(path);
  }

  /** Notifies of an event that has come, unless an own write delivers it. @param type ZooKeeper's event number */
  dispatch(type: number, path: string): void {
    const kind = KINDS.get(type);
    if (kind === undefined || this.expected?.takes(kind, path)) return;
    this.notify(kind, path);
  }

  /** Passes an event to every watcher of the path or of one above it. */
  notify(kind: NodeEventKind, path: string): void {
    for (const watcher of this.of(path)) watcher.receive(kind, path);
  }

  /** Sets the own write whose answer comes next: its events come right before it. */
  expect(write: ExpectedEvents): void {
    this.expected = write;
  }

  /** Notes that an own write is answered, or its connection gone. */
  conclude(write: ExpectedEvents): void {
    if (this.expected === write) this.expected = undefined;
  }

  /** Watchers of the path or of one above it, the nearest first. */
  of(path: string): readonly Watcher[] {
    if (this.lastFound !== undefined && path.startsWith(this.lastFound.below)) return this.lastFound.watchers;
    return this.find(path);
  }

  // Apart from `of`, which would otherwise make the closure of this one for each path.
  private find(path: string): readonly Watcher[] {
    const [deepest] = this.watchedDepths;
    const watchers = this.watchedDepths.flatMap((depth) => {
      const at = ancestorAt(path, depth);
      return at === undefined ? [] : (this.watchers.get(at) ?? []);
    });
    const top = deepest === undefined ? undefined : ancestorAt(path, deepest);
    if (top !== undefined && top.length < path.length) this.lastFound = { below: `${top}/`, watchers };
    return watchers;
  }

  /** Informs all watchers of a new connection. */
  reconnected(): void {
    for (const watcher of this.all()) watcher.reconnected();
  }

  /** Informs all watchers that the session is over, and forgets them. */
  lose(): void {
    const all = this.all();
    this.watchers.clear();
    this.lastFound = undefined;
    this.depths.clear();
    this.watchedDepths = [];
    for (const watcher of all) watcher.lost();
  }

  /** True if the nodes below a path are watched as well. The server keeps one watch per path. */
  isRecursive(path: string): boolean {
    return (this.watchers.get(path) ?? []).some((watcher) => watcher.isRecursive);
  }

  /** Watched paths in pieces that each fit one request. */
  pieces(): readonly WatchedPaths[] {
    const pieces: WatchedPaths[] = [];
    let left = 0;
    for (const path of this.watchers.keys()) {
      const bytes = 4 + Buffer.byteLength(path);
      if (bytes > left) {
        pieces.push({ recursive: [], single: [] });
        left = LONGEST_PIECE_BYTES;
      }
      pieces.at(-1)?.[this.isRecursive(path) ? 'recursive' : 'single'].push(path);
      left -= bytes;
    }
    return pieces;
  }

  private count(path: string, more: 1 | -1): void {
    const depth = depthOf(path);
    const paths = (this.depths.get(depth) ?? 0) + more;
    if (paths > 0) this.depths.set(depth, paths);
    else this.depths.delete(depth);
    if (paths === (more > 0 ? 1 : 0)) this.watchedDepths = [...this.depths.keys()].toSorted((a, b) => b - a);
  }

  private all(): readonly Watcher[] {
    return [...this.watchers.values()].flat();
  }
}

/** Number of levels of a path; 0 for the root. */
function depthOf(path: string): number {
  return path === '/' ? 0 : path.split('/').length - 1;
}

/** The path, or the one above it, at this depth; undefined if the path is not that deep. */
function ancestorAt(path: string, depth: number): string | undefined {
  if (depth === 0) return '/';
  if (path === '/') return undefined;
  let end = 0;
  for (let level = 0; level < depth; level += 1) {
    if (end === path.length) return undefined;
    const next = path.indexOf('/', end + 1);
    end = next === -1 ? path.length : next;
  }
  return end === path.length ? path : path.slice(0, end);
}
