import { SparseMap } from '../../../domain/index.js';
import type { SubtreeEvent, SubtreeListener } from '../../registry-center.js';
import { throwLater } from '../wire/index.js';

interface Letter {
  readonly event: SubtreeEvent;
  /** True while the value that the view must show is still being read. */
  isWaiting: boolean;
}

/**
 * Tells events in their order, each when the view shows its change. An event whose value is still being read holds up
 * the later ones.
 */
export class Outbox {
  /** Undefined while none is held up, which is nearly always. */
  private letters: Letter[] | undefined;
  /** Letters that wait for a value, at most one per path. */
  private readonly waiting = new SparseMap<string, Letter>();

  constructor(private readonly listener: SubtreeListener) {}

  put(event: SubtreeEvent): void {
    if (this.letters === undefined) return this.tell(event);
    this.letters.push({ event, isWaiting: false });
    this.deliver();
  }

  /**
   * Adds an event that is told once `arrived` is called for its path. If one waits for the path already, that one is
   * enough.
   */
  putWaiting(event: Exclude<SubtreeEvent, { kind: 'reset' }>): void {
    if (this.waiting.has(event.path)) return;
    const letter = { event, isWaiting: true };
    this.waiting.set(event.path, letter);
    this.letters ??= [];
    this.letters.push(letter);
  }

  /** Releases the event that waited for the value at a path. @returns true if there was one */
  arrived(path: string): boolean {
    const letter = this.waiting.get(path);
    if (!letter) return false;
    letter.isWaiting = false;
    this.waiting.delete(path);
    this.deliver();
    return true;
  }

  /** Withdraws the event that waits for the value at a path, if there is one. @returns its kind */
  withdraw(path: string): SubtreeEvent['kind'] | undefined {
    const letter = this.waiting.get(path);
    if (!letter) return undefined;
    this.waiting.delete(path);
    this.letters = this.letters?.filter((one) => one !== letter);
    this.deliver();
    return letter.event.kind;
  }

  /** Stops telling events. */
  close(): void {
    this.letters = undefined;
    this.waiting.clear();
  }

  private deliver(): void {
    while (this.letters?.[0]?.isWaiting === false) {
      this.tell(this.letters.shift()!.event);
    }
    if (this.letters?.length === 0) this.letters = undefined;
  }

  private tell(event: SubtreeEvent): void {
    try {
      this.listener(event);
    } catch (error) {
      throwLater(error);
    }
  }
}
