import type { Clock, Timer } from '../../clock/index.js';
import { targetKey } from './audit-entry.js';
import type { AuditNote } from './audit-intent.js';

const WINDOW_MS = 60_000;
/** Most persons, addresses and targets that are told apart in a window. */
const MOST_APART = 200;

interface Counted {
  readonly note: AuditNote;
  /** Times beside the first one. */
  more: number;
}

/**
 * Notes of which somebody can cause any number, as refused log-ins and changes. Of equal ones in a minute the first is
 * written at once, and one more at its end, with their number.
 */
export class MergedNotes {
  private readonly counted = new Map<string, Counted>();
  private timer: Timer | undefined;

  /** @param write must not reject */
  constructor(
    private readonly clock: Clock,
    private readonly write: (note: AuditNote) => Promise<void>,
  ) {}

  add(given: AuditNote): void {
    const note = this.counted.size < MOST_APART || this.counted.has(keyOf(given)) ? given : ofMany(given);
    const known = this.counted.get(keyOf(note));
    if (known !== undefined) return void (known.more += 1);
    this.counted.set(keyOf(note), { note, more: 0 });
    this.timer ??= this.clock.setTimer(WINDOW_MS, () => void this.flush());
    this.timer.unref?.();
    void this.write(note);
  }

  /** Ends the window. Resolves once its numbers are written. */
  async flush(): Promise<void> {
    this.timer?.cancel();
    this.timer = undefined;
    const ended = [...this.counted.values()];
    this.counted.clear();
    const repeated = ended.filter(({ more }) => more > 0);
    await Promise.all(repeated.map(({ more, note }) => this.write({ ...note, after: { more } })));
  }
}

function keyOf({ action, address, code, target, who }: AuditNote): string {
  return JSON.stringify([action, code, who, address, targetKey(target)]);
}

function ofMany(note: AuditNote): AuditNote {
  return { ...note, who: null, address: null, requestId: null, target: {} };
}
