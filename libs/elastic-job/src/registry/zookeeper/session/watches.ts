import type { RegistryNode } from '../../registry-center.js';
import type { WatchedPaths } from '../wire/index.js';

/** What happened to one node; `children`: it has other ones, as only a watch that is not recursive hears. */
export type NodeEventKind = 'created' | 'deleted' | 'changed' | 'children';

/**
 * Watches one path, or everything at and below it, for as long as a session lives. Its methods must not throw. They are
 * called in the order of the server, in line with the replies; paths are the server's.
 */
export interface Watcher {
  /** Whether it watches what is below the path as well. */
  readonly isRecursive: boolean;
  heard(kind: NodeEventKind, absolutePath: string): void;
  /** A write of this client that names the path leaves. */
  writing(absolutePath: string): void;
  /** A write of this client is answered: it has left this node. */
  wrote(node: RegistryNode): void;
  /** A write of this client that names the path has ended; what is known of its effect was told before. */
  written(absolutePath: string): void;
  /**
   * There is a new connection in the same session, and the watch is in place again. What happened meanwhile is not
   * told.
   */
  reconnected(): void;
  /** The session is over. */
  lost(): void;
}

/** ZooKeeper's numbers. */
const KINDS: ReadonlyMap<number, NodeEventKind> = new Map([
  [1, 'created'],
  [2, 'deleted'],
  [3, 'changed'],
  [4, 'children'],
]);

/** Leaves room below the server's limit of a megabyte for paths that are long. */
const LONGEST_PIECE_BYTES = 128 * 1024;

/** Who watches which path. */
export class Watches {
  private readonly watchers = new Map<string, readonly Watcher[]>();
  /** How many paths of each depth are watched: they are few depths, and an event looks at no other. */
  private readonly depths = new Map<number, number>();
  /** The deepest first. */
  private watchedDepths: readonly number[] = [];

  add(path: string, watcher: Watcher): void {
    const others = this.watchers.get(path);
    // Most paths have one watcher: a list that is spread has room for sixteen more.
    this.watchers.set(path, others ? [...others, watcher] : [watcher]);
    if (!others) this.count(path, 1);
  }

  /** @returns whether nobody watches this path any more, and somebody did */
  remove(path: string, watcher: Watcher): boolean {
    const watchers = this.watchers.get(path);
    if (!watchers?.includes(watcher)) return false;
    const others = watchers.filter((one) => one !== watcher);
    if (others.length > 0) this.watchers.set(path, others);
    if (others.length > 0) return false;
    this.count(path, -1);
    return this.watchers.delete(path);
  }

  /** Tells everybody who watches the path or one above it. @param type ZooKeeper's number of the event */
  dispatch(type: number, path: string): void {
    const kind = KINDS.get(type);
    if (kind) for (const watcher of this.of(path)) watcher.heard(kind, path);
  }

  /** Everybody who watches the path or one above it; the nearest first. */
  of(path: string): Iterable<Watcher> {
    const found: (readonly Watcher[])[] = [];
    for (const depth of this.watchedDepths) {
      const at = ancestorAt(path, depth);
      const watchers = at === undefined ? undefined : this.watchers.get(at);
      if (watchers) found.push(watchers);
    }
    return found.length === 1 ? found[0]! : found.flat();
  }

  /** Tells everybody of a new connection. */
  reconnected(): void {
    for (const watcher of this.all()) watcher.reconnected();
  }

  /** Tells everybody that the session is over, and forgets them. */
  lose(): void {
    const all = this.all();
    this.watchers.clear();
    this.depths.clear();
    this.watchedDepths = [];
    for (const watcher of all) watcher.lost();
  }

  /** Whether what is below a path is watched as well. The server keeps one watch for each path. */
  isRecursive(path: string): boolean {
    return (this.watchers.get(path) ?? []).some((watcher) => watcher.isRecursive);
  }

  /** The watched paths, in pieces that fit into one request each. */
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

/** How many levels a path has; 0 for the root. */
function depthOf(path: string): number {
  return path === '/' ? 0 : path.split('/').length - 1;
}

/** The path, or one above it, that has so many levels; undefined if the path has fewer. */
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
