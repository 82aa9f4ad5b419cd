import type { AuditIntent, Made, Recorded } from '../audit/index.js';
import type { AuditTarget, ConsoleCall } from '../contract/index.js';
import type { ReasonBody } from './bodies.js';
import type { AuditTrail } from './ports.js';

/** A request for a change, with what was read before it. */
interface Intended {
  readonly action: string;
  readonly target: AuditTarget;
  /** Replaced by the change; without secrets. */
  readonly before?: unknown;
}

/** Writes a change down, makes it, and writes down how it ended. @see AuditTrail.record */
export function recorded<Result>(
  audit: AuditTrail,
  call: ConsoleCall<object, ReasonBody>,
  intended: Intended,
  change: () => Promise<Made<Result>>,
): Promise<Recorded<Result>> {
  return audit.record(intentOf(call, intended), change);
}

function intentOf(call: ConsoleCall<object, ReasonBody>, { action, before = null, target }: Intended): AuditIntent {
  const { address, body, caller, requestId } = call;
  return {
    who: caller.name,
    role: caller.role,
    by: caller.by,
    address,
    requestId,
    action,
    target,
    reason: body.reason ?? null,
    before,
  };
}
