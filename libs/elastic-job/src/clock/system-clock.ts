import { randomUUID } from 'node:crypto';
import { availableParallelism, hostname, networkInterfaces } from 'node:os';
import { type OptionRow, OptionTable, text } from '../domain/index.js';
import type { Clock, Timer } from './clock.js';
import { chooseHostAddress, type HostAddressOptions } from './host-address.js';
import { sleepOn } from './waiting.js';

/** Longest wait of Node's timers, which turn a longer one into 1 ms. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

const TABLE = new OptionTable(
  {
    host: { rule: text() },
    networkInterface: { rule: text() },
    preferredIp: { rule: text() },
  } satisfies Readonly<Record<keyof HostAddressOptions, OptionRow>>,
  'SystemClock',
);

/**
 * Time, chance and host of this process.
 *
 * Its timers keep the process alive; with the embedded registry, which has no socket, nothing else does. The owner of a
 * timer must cancel it when it stops.
 */
export class SystemClock implements Clock {
  /** Cached, since each start of an item needs it, and asking the system takes longer than the rest of the start. */
  private readonly parallelism = availableParallelism();

  private readonly addressOptions: HostAddressOptions;

  /** @throws {ConfigurationError} for wrong and unknown options */
  constructor(addressOptions: HostAddressOptions = {}) {
    this.addressOptions = TABLE.checked('SystemClock', addressOptions);
  }

  wallNow(): number {
    return Date.now();
  }

  monotonicNow(): number {
    return performance.now();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  setTimer(ms: number, callback: () => void): Timer {
    const due = this.monotonicNow() + ms;
    let isHolding = true;
    const arm = (left: number): NodeJS.Timeout => {
      const armed = setTimeout(wake, Math.min(Math.ceil(left), MAX_TIMEOUT_MS));
      return isHolding ? armed : armed.unref();
    };
    const wake = (): void => {
      const left = due - this.monotonicNow();
      // Node may wake up to a millisecond early, and wakes early on purpose if the wait is longer than one timeout.
      if (left > 0) timeout = arm(left);
      else callback();
    };
    let timeout = arm(ms);
    return {
      cancel: () => clearTimeout(timeout),
      unref: () => {
        isHolding = false;
        timeout.unref();
      },
    };
  }

  nextTurn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  random(): number {
    return Math.random();
  }

  uuid(): string {
    return randomUUID();
  }

  hostAddress(): string {
    return chooseHostAddress(networkInterfaces(), this.addressOptions, hostname());
  }

  hostName(): string {
    return hostname();
  }

  pid(): number {
    return process.pid;
  }

  processors(): number {
    return this.parallelism;
  }
}

/**
 * Milliseconds on the monotonic clock of this host, which all of its processes share. `Clock.monotonicNow` has a start
 * of its own in each process.
 */
export function hostMonotonicNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
