import { mayBeApplied } from '../../registry/index.js';
import type { AuditIntent, Made, Recorded } from '../audit/index.js';
import { type AuditTarget, type ConsoleCall, ConsoleProblem } from '../contract/index.js';
import type { ReasonBody } from './bodies.js';
import type { AuditTrail } from './ports.js';

/** A request for a change, with what was read before it. */
interface Intended {
  readonly action: string;
  readonly target: AuditTarget;
  /** Values that were there, and wanted ones, without secrets. The change replaces them by those that it has made. */
  readonly before?: unknown;
  readonly after?: unknown;
}

/**
 * Writes a change down, makes it, and writes down how it ended.
 * @throws {ConsoleProblem} 504 if the reply of a write was lost, 503 if the audit is away
 * @throws the error of the change
 * @see AuditTrail.record
 */
export async function recorded<Result>(
  audit: AuditTrail,
  call: ConsoleCall<object, ReasonBody>,
  intended: Intended,
  change: () => Promise<Made<Result>>,
): Promise<Recorded<Result>> {
  try {
    return await audit.record(intentOf(call, intended), change);
  } catch (error) {
    // Before the change is begun, the same error is that of a read.
    if (!mayBeApplied(error)) throw error;
    throw new ConsoleProblem(
      504,
      'OUTCOME_UNKNOWN',
      'The registry has not answered: the change may have been made. Look before you ask for it again.',
    );
  }
}

function intentOf(
  call: ConsoleCall<object, ReasonBody>,
  { action, after = null, before = null, target }: Intended,
): AuditIntent {
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
    after,
  };
}
