/** Jobs of one kind, with the names `{prefix}-0`, `{prefix}-1` and so on. */
export interface JobGroup {
  readonly prefix: string;
  readonly count: number;
  readonly items: number;
  /** One schedule for all jobs, or one for each. */
  readonly cron: string | readonly string[];
  /** @see JobOptions.reconcileIntervalMinutes @default that of the option */
  readonly reconcileIntervalMinutes?: number;
}

export interface StartOptions {
  /** Undefined for the embedded registry. */
  readonly servers: string | undefined;
  readonly namespace: string;
  readonly groups: readonly JobGroup[];
  /**
   * Number of sessions, whose clocks differ by equal parts of a second. The jobs of each group are distributed over
   * them in turn.
   * @default 1
   */
  readonly phases?: number;
  /** The address under which it registers. @default that of the host */
  readonly ip?: string;
  /** @default 30_000 */
  readonly sessionTimeoutMs?: number;
  /** A file that gets a line for each run, and for each fire time that is reported as missed. @default none */
  readonly ledger?: string;
  /** Also waits until this instance, the only one, has planned all jobs. @default false */
  readonly untilPlanned?: boolean;
}

export interface WatchOptions {
  readonly instants: number;
  /** Seconds between two due instants: a divisor of 60. */
  readonly everySeconds: number;
  /** Number of items that are due at each of them. */
  readonly items: number;
}

/** Figures of a window of whole seconds. */
export interface Window {
  /**
   * Lateness of each run that was due in it, from the due instant to the handler's first line, in milliseconds, by
   * prefix.
   */
  readonly lateness: Readonly<Record<string, readonly number[]>>;
  /** Processor time of the window, in milliseconds. */
  readonly cpuMs: number;
  readonly requests: number;
}

/** State of a process at this moment. */
export interface Vitals {
  /** Processor time since its start, in milliseconds. */
  readonly cpuMs: number;
  /** In bytes. */
  readonly rss: number;
  readonly requests: number;
  /** Sessions, in lower-case hexadecimal. */
  readonly sessions: readonly string[];
}

/** After a collection of garbage, in bytes. */
export interface Memory {
  readonly heap: number;
  readonly rss: number;
}

/** Calls of a measured process, which answers each of them. */
export interface InstanceCalls {
  /** @returns the duration, in milliseconds */
  start(options: StartOptions): number;
  /** Watches the jobs for a number of due instants. */
  watch(options: WatchOptions): Window;
  memory(): Memory;
  vitals(): Vitals;
  /** Adds jobs one after the other. @returns the duration, in milliseconds */
  add(group: JobGroup): number;
  /** Joins every job that is created from the template from now on. */
  declare(template: string): void;
  /** Resolves when this process has joined that many jobs. */
  untilJobs(count: number): void;
  /** Creates jobs from a template, one after the other. */
  create(options: { readonly template: string; readonly count: number }): void;
  /** Removes the created jobs, and resolves when the registry has none of them. */
  remove(options: { readonly count: number }): void;
  /** Writes to one node, one write after the other. @returns the duration of each, in milliseconds */
  write(options: WriteOptions): readonly number[];
  /** Runs one item over the embedded registry and a virtual clock. @returns the processor time of one run, in ms */
  trigger(options: { readonly runs: number }): number;
  /** Reshards a simulated cluster. */
  reshard(options: ReshardOptions): Resharding;
  /** Starts a console beside the jobs, which fills its index. */
  openConsole(): void;
  /** Ends that console. @returns the number of jobs that its index has come to */
  closeConsole(): number;
  /** Leaves every job in order, and closes the session. */
  leave(): void;
}

export interface WriteOptions {
  readonly servers: string;
  readonly writes: number;
  /** Pause before each write. @default none */
  readonly pauseMs?: number;
}

export interface ReshardOptions {
  readonly instances: number;
  readonly jobs: number;
  readonly items: number;
}

/** From the departure of an instance to the last new plan, in milliseconds. */
export interface Resharding {
  /** By the cluster's clock: the debounce, and the requests, which take 1 ms each. */
  readonly virtualMs: number;
  /** The processor time of all instances and their registry. */
  readonly computedMs: number;
}

export type CallName = keyof InstanceCalls;

export interface Call<Name extends CallName = CallName> {
  readonly id: number;
  readonly call: Name;
  readonly with: Parameters<InstanceCalls[Name]>[0];
}

export type Reply =
  { readonly id: number; readonly result: unknown } | { readonly id: number; readonly failed: string };
