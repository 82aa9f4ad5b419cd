import type { GuaranteePhase, Target } from '../../domain/index.js';

/** What one of ours writes as it arrives, for which Java only asks whether it exists. */
export interface Arrival {
  readonly by: string;
  readonly round: Target;
}

/** The last round of each phase that is over. */
export type PassedRounds = { readonly [phase in GuaranteePhase]?: Target };

export function formatArrival({ by, round: { fireTime, origin } }: Arrival): string {
  return JSON.stringify({ by, round: { fireTime, origin } });
}

/** Undefined: a Java peer's, or written by a version that this one cannot judge. */
export function parseArrival(text: string): Arrival | undefined {
  const { by, round } = parseObject(text) as Partial<Arrival>;
  return typeof by === 'string' && isRound(round) ? { by, round } : undefined;
}

export function formatPassed({ started, completed }: PassedRounds): string {
  return JSON.stringify({ started, completed });
}

export function parsePassed(text: string): PassedRounds {
  const { started, completed } = parseObject(text) as PassedRounds;
  return { started: isRound(started) ? started : undefined, completed: isRound(completed) ? completed : undefined };
}

function isRound(value: Target | undefined): value is Target {
  return typeof value?.fireTime === 'number' && typeof value.origin === 'string';
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
