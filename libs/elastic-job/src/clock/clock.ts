/** A started timer. */
export interface Timer {
  /** Stops it; a second call, or one after it fired, does nothing. */
  cancel(): void;
  /** From now on the process may end without waiting for it. Clocks that own time have nothing to do for that. */
  unref?(): void;
}

/**
 * Time, chance and host: everything a simulation has to own to be deterministic. One instance per scheduler instance,
 * so that a simulated one can drift, jump and stop.
 */
export interface Clock {
  /** Milliseconds since the epoch. Steps when the host's clock is set: for schedules and records only. */
  wallNow(): number;
  /** Milliseconds from an arbitrary start. Never steps: for every deadline, lease and duration. */
  monotonicNow(): number;
  /** Resolves after `ms` milliseconds. @throws the signal's reason as soon as `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once, not before `ms` milliseconds have passed. Waits longer than 2^31-1 ms are allowed. */
  setTimer(ms: number, callback: () => void): Timer;
  /** Resolves when everything that is due now has had its turn: the point where work that ends together is gathered. */
  nextTurn(): Promise<void>;
  /** A number in [0, 1). */
  random(): number;
  /** A random version 4 UUID. */
  uuid(): string;
  /** The IPv4 address under which this host registers. @throws {ConfigurationError} if it has none. */
  hostAddress(): string;
  /** What this host calls itself: for people who read a history. */
  hostName(): string;
  pid(): number;
  /** How many processors this process may use; at least 1. */
  processors(): number;
}
