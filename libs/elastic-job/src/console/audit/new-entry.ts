import type { Clock } from '../../clock/index.js';
import { RowIds } from '../../clock/index.js';
import type { Redact } from '../../domain/index.js';
import type { AuditEntry, AuditOutcome } from '../contract/index.js';
import type { AuditIntent } from './audit-intent.js';
import { hideSecrets } from './hidden-facts.js';

/** Widths of texts, in UTF-16 units. Names of targets are kept whole, since entries are found by them. */
const WIDTH = { name: 255, action: 64, reason: 512 };

/** Makes the entries of an audit. Nothing secret is in them. */
export class NewEntries {
  private readonly ids: RowIds;

  constructor(
    private readonly clock: Clock,
    private readonly redact: Redact,
  ) {
    this.ids = new RowIds(clock);
  }

  of(intent: AuditIntent, outcome: AuditOutcome, code: string | null = null): AuditEntry {
    const { action, address, by, reason, requestId, role, target, who } = intent;
    return {
      id: this.ids.next(),
      at: new Date(this.clock.wallNow()).toISOString(),
      who: who?.slice(0, WIDTH.name) ?? null,
      role,
      by,
      address: address?.slice(0, WIDTH.name) ?? null,
      requestId: requestId?.slice(0, WIDTH.name) ?? null,
      action: action.slice(0, WIDTH.action),
      target,
      reason: reason === null ? null : this.redact(reason).slice(0, WIDTH.reason),
      before: null,
      after: null,
      ...this.shown(intent),
      outcome,
      code,
    };
  }

  /** The kept parts of values; those that are not there are left out. */
  shown({ after, before }: { readonly before?: unknown; readonly after?: unknown }) {
    const { redact } = this;
    return {
      ...(before !== undefined && { before: hideSecrets(before, redact) }),
      ...(after !== undefined && { after: hideSecrets(after, redact) }),
    };
  }
}
