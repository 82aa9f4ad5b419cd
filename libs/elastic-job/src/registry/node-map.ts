import { interned } from '../domain/index.js';

/** A node's value and the names of its children. Most nodes have a single child, which is stored without a set. */
interface Place<T> {
  value: T;
  names: Set<string> | string | undefined;
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

  /** Names of the children, in no particular order; empty if there is no such node. */
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
  return typeof names === 'string' ? 1 : (names?.size ?? 0);
}

/** Shared, and given to users. */
const NONE: readonly string[] = Object.freeze([]);

function namesIn(place: Place<unknown> | undefined): readonly string[] {
  const names = place?.names;
  if (names === undefined) return NONE;
  return typeof names === 'string' ? [names] : [...names];
}

function addName(place: Place<unknown>, name: string): void {
  const { names } = place;
  if (names === undefined) place.names = interned(name);
  else if (typeof names === 'string') place.names = new Set([names, interned(name)]);
  else names.add(interned(name));
}

function removeName(place: Place<unknown>, name: string): void {
  const { names } = place;
  if (typeof names === 'object') names.delete(name);
  else if (names === name) place.names = undefined;
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
