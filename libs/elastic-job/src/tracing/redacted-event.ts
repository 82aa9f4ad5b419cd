import { type Redact, redactOutcome, redactThrown, type Trigger } from '../domain/index.js';
import type { JobEvent } from './job-event.js';

/** The event for sinks: errors, reasons, messages and parameters are redacted, names and numbers are not. */
export function redactEvent(told: JobEvent, redact: Redact): JobEvent {
  const event = 'trigger' in told ? { ...told, trigger: redactTrigger(told.trigger, redact) } : told;
  switch (event.kind) {
    case 'skipped':
      return { ...event, reason: redact(event.reason) };
    case 'settled':
      return { ...event, outcome: redactOutcome(event.outcome, redact) };
    case 'finished': {
      const failures = [...event.failures].map(([item, error]) => [item, redactThrown(error, redact)] as const);
      return { ...event, failures: new Map(failures) };
    }
    case 'hung':
      return { ...event, reason: redactThrown(event.reason, redact) };
    case 'settle-delayed':
    case 'retrying':
    case 'error-handler-failed':
      return { ...event, error: redactThrown(event.error, redact) };
    case 'configuration-differs':
      return { ...event, differences: event.differences.map(redact) };
    case 'warning':
      return { ...event, message: redact(event.message) };
    case 'error':
      return { ...event, message: redact(event.message), error: redactThrown(event.error, redact) };
    default:
      return event;
  }
}

function redactTrigger(trigger: Trigger, redact: Redact): Trigger {
  return trigger.parameters === undefined ? trigger : { ...trigger, parameters: redact(trigger.parameters) };
}
