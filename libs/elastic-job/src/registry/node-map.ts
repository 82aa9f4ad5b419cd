import { interned } from '../domain/index.js';

/** Names of several children. */
interface Names {
  readonly all: Set<string>;
  /** The same as a list, once somebody has asked for it, and until it changes. */
  list: readonly string[] | undefined;
}

/** A node's value and the names of its children. Most nodes have a single child, which is stored without a set. */
interface Place<T> {
  value: T;
  names: Names | string | undefined;
}

/**
 * Values by path, with the names of the children: the server's tree, or a client's view of a part of it. A parent must
 * be added before its children and removed after them.
 */
export class NodeMap<T> {
  private readonly places = new Map<string, Place<T>>();

  has(path: string): boolean {
    return this.places.has(path);
  }

  get(path: string): T | undefined {
    return this.places.get(path)?.value;
  }

  /**
   * Names of the children, in no particular order; empty if there is no such node. Of several children the list is the
   * same one until a child comes or goes, so that asking again costs nothing, and what follows from it can be kept.
   */
  children(path: string): readonly string[] {
    return namesIn(this.places.get(path));
  }

  /** Number of the node's children; undefined if there is no such node. */
  childCount(path: string): number | undefined {
    const place = this.places.get(path);
    return place && countOf(place.names);
  }

  /** Replaces the value of a node. @returns false if there is no such node */
  replace(path: string, value: T): boolean {
    const place = this.places.get(path);
    if (place === undefined) return false;
    place.value = value;
    return true;
  }

  put(path: string, value: T): void {
    if (!this.replace(path, value)) this.add(interned(path), value, parentPath(path));
  }

  /** Adds a node that is not there. @param path as it may be kept, see `interned` @param parent path of its parent */
  add(path: string, value: T, parent: string | undefined): void {
    this.places.set(path, { value, names: undefined });
    const above = parent === undefined ? undefined : this.places.get(parent);
    if (above !== undefined) addName(above, nameOf(path));
  }

  remove(path: string): void {
    if (!this.places.delete(path)) return;
    const parent = parentPath(path);
    const above = parent === undefined ? undefined : this.places.get(parent);
    if (above !== undefined) removeName(above, nameOf(path));
  }

  clear(): void {
    this.places.clear();
  }

  /** Every path, in no particular order. */
  paths(): Iterable<string> {
    return this.places.keys();
  }

  /** Paths of the node and all nodes below it, parents first; empty if there is no such node. */
  subtree(path: string): readonly string[] {
    const found = this.places.has(path) ? [path] : [];
    // The list grows while it is walked.
    for (const parent of found) for (const name of this.children(parent)) found.push(childPath(parent, name));
    return found;
  }
}

function countOf(names: Place<unknown>['names']): number {
  return typeof names === 'string' ? 1 : (names?.all.size ?? 0);
}

/** Shared, and given to users. */
const NONE: readonly string[] = Object.freeze([]);

function namesIn(place: Place<unknown> | undefined): readonly string[] {
  const names = place?.names;
  if (names === undefined) return NONE;
  return typeof names === 'string' ? [names] : (names.list ??= [...names.all]);
}

function addName(place: Place<unknown>, name: string): void {
  const { names } = place;
  if (names === undefined) place.names = interned(name);
  else if (typeof names === 'string') place.names = { all: new Set([names, interned(name)]), list: undefined };
  else {
    names.all.add(interned(name));
    names.list = undefined;
  }
}

function removeName(place: Place<unknown>, name: string): void {
  const { names } = place;
  if (typeof names === 'object') {
    names.all.delete(name);
    names.list = undefined;
  } else if (names === name) place.names = undefined;
}

/** Path of the parent, or undefined for the root. */
export function parentPath(path: string): string | undefined {
  if (path === '/') return undefined;
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

export function childPath(parent: string, name: string): string {
  return parent === '/' ? `/${name}` : `${parent}/${name}`;
}

/** The last level of a path. */
function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
