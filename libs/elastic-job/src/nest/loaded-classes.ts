import { shared } from '../copies/index.js';

/** Classes with jobs that this process has loaded. They may be of other applications, or of none. */
const LOADED = shared('ClassesWithJobs', { refs: new Set<WeakRef<object>>(), known: new WeakSet<object>() });

/** Notes the class of a decorated method or class. @param target the class, or its prototype */
export function noteLoaded(target: object): void {
  const loaded: unknown = typeof target === 'function' ? target : target.constructor;
  if (typeof loaded !== 'function' || LOADED.known.has(loaded)) return;
  LOADED.known.add(loaded);
  LOADED.refs.add(new WeakRef(loaded));
}

/**
 * Names of the loaded classes that no provider is made of, the latest first.
 * @param provided classes of the providers; a class is in use by its subclasses too
 */
export function namesOfUnprovided(provided: Iterable<object>): readonly string[] {
  const inUse = new Set<object>();
  for (const providerClass of provided) {
    for (let one: object | null = providerClass; one !== null && !inUse.has(one); one = Object.getPrototypeOf(one))
      inUse.add(one);
  }
  return [...LOADED.refs]
    .flatMap((ref) => {
      const loaded = ref.deref();
      if (loaded === undefined) LOADED.refs.delete(ref);
      return typeof loaded === 'function' && !inUse.has(loaded) ? [loaded.name] : [];
    })
    .toReversed();
}
