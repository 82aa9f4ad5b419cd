import { hearRejection } from '../unawaited.js';
import type { SettledOutcome } from '../run/index.js';

/** Removes secrets from a text before it leaves the process for a log, a history, a channel or a span. */
export type Redact = (text: string) => string;

/** Replaces a text whose redaction has failed, since it may hold the secret. */
const UNREADABLE = '(a text that could not be redacted)';
/** Depth to which causes, and the errors of an `AggregateError`, are redacted; deeper ones are dropped. */
const MOST_LEVELS = 10;

/** Makes the function safe: if it throws, or returns no text, the text is not shown at all. */
export function guardRedact(redact: Redact): Redact {
  return (text) => {
    try {
      const redacted: unknown = redact(text);
      hearRejection(redacted);
      return typeof redacted === 'string' ? redacted : UNREADABLE;
    } catch {
      return UNREADABLE;
    }
  };
}

/**
 * Copies a thrown value, of the same class, with each text redacted: message, stack, fields, causes. Other values stay
 * as they are.
 */
export function redactThrown(thrown: unknown, redact: Redact, levels = MOST_LEVELS): unknown {
  if (typeof thrown === 'string') return redact(thrown);
  if (Array.isArray(thrown)) return levels === 0 ? [] : thrown.map((one) => redactThrown(one, redact, levels - 1));
  if (!(thrown instanceof Error)) return thrown;
  const copy: object = Object.create(Object.getPrototypeOf(thrown));
  for (const [name, { enumerable, value }] of Object.entries(Object.getOwnPropertyDescriptors(thrown))) {
    const told: unknown = name === 'stack' ? thrown.stack : value; // Newer releases of Node compute a stack on access.
    const isDeep = told instanceof Error || Array.isArray(told);
    const shown: unknown = isDeep && levels === 0 ? undefined : redactThrown(told, redact, levels - 1);
    Object.defineProperty(copy, name, { enumerable, value: shown, configurable: true, writable: true });
  }
  return copy;
}

/** The outcome with its error or reason redacted. */
export function redactOutcome(outcome: SettledOutcome, redact: Redact): SettledOutcome {
  if (outcome.kind === 'failed') return { ...outcome, error: redactThrown(outcome.error, redact) };
  if (outcome.kind === 'aborted') return { ...outcome, reason: redactThrown(outcome.reason, redact) };
  return outcome;
}
