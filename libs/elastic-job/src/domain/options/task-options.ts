/** Limits of a task. */
export interface TaskResources {
  /** Processors; fractions are allowed. Greater than 0. @default 1 */
  readonly cpu: number;
  /** Mebibytes, a whole number of at least 1. @default 128 */
  readonly memoryMb: number;
}

/** The program that is started as a task. */
export interface TaskTemplate {
  /** The program and its arguments. @default the backend's own: for child processes the entry of this process */
  readonly command?: readonly string[];
  /** The image of its container; backends without images refuse it. */
  readonly image?: string;
  /** Variables of its environment, which inherits none from the scheduler. No secrets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Its working directory. @default the backend's */
  readonly workingDirectory?: string;
}

/** How the tasks of a job are run. */
export interface TaskOptions extends TaskTemplate {
  /**
   * From SIGTERM to SIGKILL, in milliseconds; less where others are about to have the item. @default 30_000
   */
  readonly graceMs?: number;
}

/** @see ElasticJob-Cloud, `CloudJobConfiguration`: its defaults for an application */
export const DEFAULT_RESOURCES: TaskResources = { cpu: 1, memoryMb: 128 };
