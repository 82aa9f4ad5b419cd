import { SparseMap } from '../../../domain/index.js';
import type { SubtreeEvent, SubtreeListener } from '../../registry-center.js';
import { isolated } from '../wire/index.js';

interface Letter {
  readonly event: SubtreeEvent;
  /** Whether the value that the view is to show is still on its way. */
  isWaiting: boolean;
}

/**
 * Events that are told in their order, each when the view shows it: one whose value is still being read holds up the
 * others.
 */
export class Outbox {
  private letters: Letter[] = [];
  /** The letter that waits for the value at a path: one at most. */
  private readonly waiting = new SparseMap<string, Letter>();

  constructor(private readonly listener: SubtreeListener) {}

  put(event: SubtreeEvent): void {
    this.letters.push({ event, isWaiting: false });
    this.deliver();
  }

  /** Tells it once `arrived` is called for its path. If one waits already, that one says enough. */
  putWaiting(event: Exclude<SubtreeEvent, { kind: 'reset' }>): void {
    if (this.waiting.has(event.path)) return;
    const letter = { event, isWaiting: true };
    this.waiting.set(event.path, letter);
    this.letters.push(letter);
  }

  /** The value at a path is there. @returns whether something waited for it */
  arrived(path: string): boolean {
    const letter = this.waiting.get(path);
    if (!letter) return false;
    letter.isWaiting = false;
    this.waiting.delete(path);
    this.deliver();
    return true;
  }

  /** Takes back what waits for the value at a path, if anything does. */
  withdraw(path: string): SubtreeEvent['kind'] | undefined {
    const letter = this.waiting.get(path);
    if (!letter) return undefined;
    this.waiting.delete(path);
    this.letters = this.letters.filter((one) => one !== letter);
    this.deliver();
    return letter.event.kind;
  }

  /** Nothing more is told. */
  close(): void {
    this.letters = [];
    this.waiting.clear();
  }

  private deliver(): void {
    while (this.letters[0]?.isWaiting === false) {
      const { event } = this.letters.shift()!;
      isolated(() => this.listener(event));
    }
    // A list that was emptied keeps the room that it had.
    if (this.letters.length === 0) this.letters = [];
  }
}
