/**
 * Tries to change a value and all that it consists of, as careless code of a user may: lists, plain records, maps, sets
 * and dates. Instances of other classes, which have methods to be called, stay as they are.
 */
export function changeAll(value: unknown, seen = new Set<unknown>()): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  for (const part of partsOf(value)) changeAll(part, seen);
  for (const change of changesOf(value)) attempt(change);
}

function partsOf(value: object): readonly unknown[] {
  if (value instanceof Map) return [...value.keys(), ...value.values()];
  return isPlain(value) ? Object.values(value) : [];
}

function changesOf(value: object): readonly (() => unknown)[] {
  if (value instanceof Map || value instanceof Set) return [() => value.clear()];
  if (value instanceof Date) return [() => value.setTime(0)];
  if (Array.isArray(value)) return [() => value.push(7), () => value.splice(0, 1, 'changed')];
  if (!isPlain(value)) return [];
  return Object.keys(value).map((key) => () => Reflect.set(value, key, 'changed'));
}

/** True for lists, records and contexts: values that are there to be read. */
function isPlain(value: object): boolean {
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype || 'shardingItem' in value;
}

function attempt(change: () => unknown): void {
  try {
    change();
  } catch {
    // It is frozen.
  }
}
