import { SparseMap } from '../../../domain/index.js';
import type { SubtreeEvent, SubtreeListener } from '../../registry-center.js';
import { throwLater } from '../wire/index.js';

interface Letter {
  /** Undefined once it was withdrawn. */
  event: SubtreeEvent | undefined;
  /** True while the value that the view must show is still being read. */
  isWaiting: boolean;
  next: Letter | undefined;
}

/**
 * Emits events in their order, each when the view shows its change. An event whose value is still being read holds up
 * the later ones.
 */
export class Outbox {
  /** Letters in their order, linked, since thousands may come and go in a row. Undefined if there is none. */
  private first: Letter | undefined;
  private last: Letter | undefined;
  /** Letters that wait for a value, at most one per path. */
  private readonly waiting = new SparseMap<string, Letter>();

  constructor(private readonly listener: SubtreeListener) {}

  put(event: SubtreeEvent): void {
    if (this.first === undefined) return this.emit(event);
    this.append({ event, isWaiting: false, next: undefined });
    this.deliver();
  }

  /**
   * Adds an event that is emitted once `arrived` is called for its path. If one waits for the path already, that one is
   * enough.
   */
  putWaiting(event: Exclude<SubtreeEvent, { kind: 'reset' }>): void {
    if (this.waiting.has(event.path)) return;
    const letter = { event, isWaiting: true, next: undefined };
    this.waiting.set(event.path, letter);
    this.append(letter);
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
    const kind = letter?.event?.kind;
    if (letter !== undefined) letter.event = undefined;
    this.arrived(path);
    return kind;
  }

  /** Emits no more events. */
  close(): void {
    this.first = undefined;
    this.last = undefined;
    this.waiting.clear();
  }

  private append(letter: Letter): void {
    if (this.last === undefined) this.first = letter;
    else this.last.next = letter;
    this.last = letter;
  }

  private deliver(): void {
    while (this.first?.isWaiting === false) {
      const { event, next } = this.first;
      this.first = next;
      if (next === undefined) this.last = undefined;
      if (event !== undefined) this.emit(event);
    }
  }

  private emit(event: SubtreeEvent): void {
    try {
      this.listener(event);
    } catch (error) {
      throwLater(error);
    }
  }
}
