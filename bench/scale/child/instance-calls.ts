/** Jobs of one kind. They are called `{prefix}-0`, `{prefix}-1` and so on. */
export interface JobGroup {
  readonly prefix: string;
  readonly count: number;
  readonly items: number;
  /** A text, or that of each job. */
  readonly cron: string | readonly string[];
}

export interface StartOptions {
  /** Undefined: the embedded registry. */
  readonly servers: string | undefined;
  readonly namespace: string;
  readonly groups: readonly JobGroup[];
  /**
   * Sessions whose clocks are apart by an equal part of a second each. They share the jobs of each group, in turn.
   * @default 1
   */
  readonly phases?: number;
  /** The address to register under. @default that of the host */
  readonly ip?: string;
  /** @default 30_000 */
  readonly sessionTimeoutMs?: number;
  /** A file to which a line is added for each run, and for each fire time that is told as missed. @default none */
  readonly ledger?: string;
  /** Also waits until this instance, which is alone, has planned all jobs. @default false */
  readonly untilPlanned?: boolean;
}

export interface WatchOptions {
  readonly instants: number;
  /** From one due instant to the next one: a divisor of 60. */
  readonly everySeconds: number;
  /** Items that are due at each of them. */
  readonly items: number;
}

/** The figures of a window of whole seconds. */
export interface Window {
  /** Of each run that was due in it, from the due instant to the handler's first line, in milliseconds, by prefix. */
  readonly lateness: Readonly<Record<string, readonly number[]>>;
  /** The processor time of the window, in milliseconds. */
  readonly cpuMs: number;
  readonly requests: number;
}

/** A process at this moment. */
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

/** The calls of a measured process. It answers when one is done. */
export interface InstanceCalls {
  /** @returns how long it took, in milliseconds */
  start(options: StartOptions): number;
  /** Watches the jobs for some due instants. */
  watch(options: WatchOptions): Window;
  memory(): Memory;
  vitals(): Vitals;
  /** Adds jobs one after the other. @returns how long it took, in milliseconds */
  add(group: JobGroup): number;
  /** Takes part in every job that is created from the template from now on. */
  declare(template: string): void;
  /** Resolves when this process takes part in so many jobs. */
  untilJobs(count: number): void;
  /** Creates so many jobs from a template, one after the other. */
  create(options: { readonly template: string; readonly count: number }): void;
  /** Removes the jobs that were created, and resolves when the registry has none of them. */
  remove(options: { readonly count: number }): void;
  /** Writes to one node, one write after the other. @returns how long each took, in milliseconds */
  write(options: { readonly servers: string; readonly writes: number }): readonly number[];
  /** Runs of one item over the embedded registry and a virtual clock. @returns the processor time of one, in ms */
  trigger(options: { readonly runs: number }): number;
  /** Reshards a simulated cluster. */
  reshard(options: ReshardOptions): Resharding;
  /** Leaves every job in order and closes the session. */
  leave(): void;
}

export interface ReshardOptions {
  readonly instances: number;
  readonly jobs: number;
  readonly items: number;
}

/** From the departure of an instance to the last new assignment, in milliseconds. */
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
