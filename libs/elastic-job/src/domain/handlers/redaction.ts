import type { SettledOutcome } from '../run/index.js';

/** Takes secrets out of a text before it leaves the process for a log, a history, a channel or a span. */
export type Redact = (text: string) => string;

/** Stands for a text whose redaction has failed: it may hold the secret. */
const UNREADABLE = '(a text that could not be redacted)';
/** Causes of an error, and errors of an `AggregateError`, are redacted so deep; what lies deeper is left out. */
const MOST_LEVELS = 10;

/** The function without its faults: a text of which it throws, or makes no text, is not shown at all. */
export function guardRedact(redact: Redact): Redact {
  return (text) => {
    try {
      const redacted: unknown = redact(text);
      return typeof redacted === 'string' ? redacted : UNREADABLE;
    } catch {
      return UNREADABLE;
    }
  };
}

/**
 * A copy of what was thrown, of the same class, with each of its texts redacted: message, stack, fields, causes. Values
 * that are no texts stay as they are.
 */
export function redactThrown(thrown: unknown, redact: Redact, levels = MOST_LEVELS): unknown {
  if (typeof thrown === 'string') return redact(thrown);
  if (Array.isArray(thrown)) return levels === 0 ? [] : thrown.map((one) => redactThrown(one, redact, levels - 1));
  if (!(thrown instanceof Error)) return thrown;
  const copy: object = Object.create(Object.getPrototypeOf(thrown));
  for (const [name, { enumerable, value }] of Object.entries(Object.getOwnPropertyDescriptors(thrown))) {
    const told: unknown = name === 'stack' ? thrown.stack : value; // Newer releases of Node compute a stack when asked.
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
