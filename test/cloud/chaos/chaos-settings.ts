/** Settings of a scheduler of the chaos, as its only argument. */
export interface ChaosSettings {
  /** Of one start of a scheduler: each has another one. Its tasks carry it in `SCHEDULER`. */
  readonly scheduler: string;
  readonly servers: string;
  readonly namespace: string;
  readonly supervisor: string;
  /** The file that tasks write to, a line for each begin and each end. */
  readonly ledger: string;
  /** The program of a task. */
  readonly program: string;
  readonly jobs: readonly ChaosJob[];
  readonly sessionTimeoutMs: number;
}

export interface ChaosJob {
  readonly name: string;
  readonly cron: string;
  readonly items: number;
}

export const SCHEDULER_VARIABLE = 'SCHEDULER';
export const LEDGER_VARIABLE = 'LEDGER';
