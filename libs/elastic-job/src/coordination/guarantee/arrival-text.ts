import { type GuaranteePhase, isInstant, readFields, type Target } from '../../domain/index.js';

/** Content that our instances write on arrival; Java only checks that the node exists. */
export interface Arrival {
  readonly by: string;
  readonly round: Target;
}

/** Last finished round of each phase. */
export type PassedRounds = { readonly [phase in GuaranteePhase]?: Target };

export function formatArrival({ by, round: { fireTime, origin } }: Arrival): string {
  return JSON.stringify({ by, round: { fireTime, origin } });
}

/** Undefined for an arrival of a Java peer, or of a version that this one cannot judge. */
export function parseArrival(text: string): Arrival | undefined {
  const { by, round } = readFields(text) ?? {};
  const target = roundIn(round);
  return typeof by === 'string' && target !== undefined ? { by, round: target } : undefined;
}

export function formatPassed({ started, completed }: PassedRounds): string {
  return JSON.stringify({ started, completed });
}

export function parsePassed(text: string): PassedRounds {
  const { started, completed } = readFields(text) ?? {};
  return { started: roundIn(started), completed: roundIn(completed) };
}

function roundIn(value: unknown): Target | undefined {
  const { fireTime, origin } = (value ?? {}) as Partial<Target>;
  return isInstant(fireTime) && typeof origin === 'string' ? { fireTime, origin } : undefined;
}
