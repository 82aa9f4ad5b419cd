import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { FrameSplitter } from './frames.js';

/** Faults of one direction of a network, for all connections at once. */
export class OneWay {
  delayMs = 0;
  /** Bytes that have come in, passed on or not. */
  bytes = 0;
  #opened: Promise<void> = Promise.resolve();
  #open: (() => void) | undefined;

  /** Holds everything back until `open`. Nothing is lost, because TCP would send it again. */
  close(): void {
    if (this.#open) return;
    this.#opened = new Promise((resolve) => (this.#open = resolve));
  }

  open(): void {
    this.#open?.();
    this.#open = undefined;
  }

  untilOpen(): Promise<void> {
    return this.#opened;
  }
}

export interface Passage {
  readonly from: Socket;
  readonly to: Socket;
  /** Resolves when `to` can be written to. */
  readonly ready: Promise<void>;
  /** Writes a frame to `to`, or handles it in another way. */
  readonly pass: (frame: Buffer) => void;
}

/**
 * Passes the stream of one socket to another, frame by frame and in order, with the delay and the holes of the way. The
 * end of a stream travels the same way: behind a black hole, neither side learns that the other has closed.
 */
export function passOn(way: OneWay, { from, to, ready, pass }: Passage): void {
  const splitter = new FrameSplitter();
  let last = ready;
  const after = async (previous: Promise<void>, dueAt: number, action: () => void) => {
    await previous;
    const waitMs = way.delayMs > 0 ? dueAt - performance.now() : 0;
    if (waitMs > 0) await delay(waitMs, undefined, { ref: false });
    await way.untilOpen();
    action();
  };
  const inTurn = (action: () => void) => {
    last = after(last, performance.now() + way.delayMs, action);
  };

  from.on('data', (chunk) => {
    way.bytes += chunk.length;
    for (const whole of splitter.push(chunk)) inTurn(() => pass(whole));
  });
  from.on('end', () => inTurn(() => to.end()));
  from.on('close', (broken) => {
    if (broken) inTurn(() => to.resetAndDestroy());
  });
  // The close that follows reports it.
  from.on('error', () => {});
}
