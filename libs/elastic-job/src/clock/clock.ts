/** A started timer. */
export interface Timer {
  /** Stops it; a second call, or one after it fired, does nothing. */
  cancel(): void;
  /** From now on the process may end without waiting for it. Simulated clocks have nothing to do for that. */
  unref?(): void;
}

/**
 * Time, chance and host: everything that a simulation must control to be deterministic. Each scheduler instance has its
 * own, so that a simulated one can drift, jump and stop.
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
  /**
   * Resolves when everything that is due now has had its turn: the point at which work that ends together is gathered.
   */
  nextTurn(): Promise<void>;
  /** A number in [0, 1). */
  random(): number;
  /** A random version 4 UUID. */
  uuid(): string;
  /** The address, or without one the name, under which this host registers. @throws {ConfigurationError} */
  hostAddress(): string;
  /** This host's name, for readers of a history. */
  hostName(): string;
  pid(): number;
  /** Number of processors that this process may use; at least 1. */
  processors(): number;
}

/** Time by which fire times come in a process. In milliseconds since the epoch. */
export interface ScheduleTime {
  wallNow(): number;
  /** Time that instances share: instants of several instances can be compared. */
  sharedNow(): number;
}

/** The host's clock, for use without a comparison of clocks. */
export function hostTime(clock: Pick<Clock, 'wallNow'>): ScheduleTime {
  return { wallNow: () => clock.wallNow(), sharedNow: () => clock.wallNow() };
}
