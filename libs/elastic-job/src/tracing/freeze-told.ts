/** Fields with what users' code has thrown, which is not ours to freeze. */
const THROWN: readonly string[] = ['error', 'reason'];

/**
 * Freezes what listeners, sinks and tracers are given, and each list and record in it. The run goes on with the same
 * trigger, items and outcomes, so none of them may change these. Thrown values stay as they are.
 */
export function freezeTold<Told extends object>(told: Told): Told {
  for (const [name, part] of Object.entries(told)) if (!THROWN.includes(name)) Object.freeze(part);
  return Object.freeze(told);
}
