/** Fields with what users' code has thrown, which is not ours to freeze. */
const THROWN: readonly string[] = ['error', 'reason'];

/**
 * Freezes what listeners, sinks and tracers are given, and each list and record in it. The run goes on with the same
 * trigger, items and outcomes, so none of them may change these. Thrown values stay as they are, and so do maps, which
 * cannot be frozen: no run goes on with one.
 */
export function freezeTold<Told extends object>(told: Told): Told {
  // Each event comes here: `for...in` takes half the time of `Object.entries`.
  for (const name in told) {
    const part = told[name];
    if (typeof part === 'object' && !THROWN.includes(name)) Object.freeze(part);
  }
  return Object.freeze(told);
}
