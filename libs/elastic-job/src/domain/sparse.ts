// Most tables of a job at rest are empty, and a process has thousands of jobs: an empty `Map` takes 184 bytes, one of
// these 32.
const NOTHING = new Map<never, never>();
const NOBODY = new Set<never>();

/** A map that allocates a table only while it has entries. */
export class SparseMap<K, V> implements ReadonlyMap<K, V> {
  private table: Map<K, V> | undefined;

  get size(): number {
    return this.table?.size ?? 0;
  }

  has(key: K): boolean {
    return this.table !== undefined && this.table.has(key);
  }

  get(key: K): V | undefined {
    return this.table?.get(key);
  }

  set(key: K, value: V): this {
    this.table ??= new Map();
    this.table.set(key, value);
    return this;
  }

  /** @returns true if it was there */
  delete(key: K): boolean {
    if (this.table?.delete(key) !== true) return false;
    if (this.table.size === 0) this.table = undefined;
    return true;
  }

  clear(): void {
    this.table = undefined;
  }

  forEach(each: (value: V, key: K, map: ReadonlyMap<K, V>) => void): void {
    this.table?.forEach((value, key) => each(value, key, this));
  }

  keys(): MapIterator<K> {
    return (this.table ?? NOTHING).keys();
  }

  values(): MapIterator<V> {
    return (this.table ?? NOTHING).values();
  }

  entries(): MapIterator<[K, V]> {
    return (this.table ?? NOTHING).entries();
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.entries();
  }
}

/** A set that allocates a table only while it has members. */
export class SparseSet<T> implements Iterable<T> {
  private table: Set<T> | undefined;

  get size(): number {
    return this.table?.size ?? 0;
  }

  has(member: T): boolean {
    return this.table !== undefined && this.table.has(member);
  }

  add(member: T): this {
    this.table ??= new Set();
    this.table.add(member);
    return this;
  }

  /** @returns true if it was there */
  delete(member: T): boolean {
    if (this.table?.delete(member) !== true) return false;
    if (this.table.size === 0) this.table = undefined;
    return true;
  }

  clear(): void {
    this.table = undefined;
  }

  [Symbol.iterator](): SetIterator<T> {
    return (this.table ?? NOBODY).values();
  }
}
