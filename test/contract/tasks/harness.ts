import { randomUUID } from 'node:crypto';
import type {
  TaskBackend,
  TaskKey,
  TaskLink,
  TaskOrder,
  TaskTemplate,
} from '../../../libs/elastic-job/src/cloud/index.js';

/** The program of a task. `obeys` and `ignores` are about the request to end: it runs until then, or for ever. */
export type Behaviour = 'succeeds' | 'fails' | 'crashes' | 'obeys' | 'ignores' | 'writes';

/** The output of `writes` before it goes on like `obeys`: more than any backend keeps. */
export const WRITTEN = { line: 'line ääää ', lines: 20_000 } as const;

/** Access of the suite to one adapter. */
export interface TaskHarness {
  /** A started backend of one more scheduler. Backends that do not adopt share nothing. */
  backend(): Promise<TaskBackend>;
  /** A started backend without room: tasks that are opened wait as QUEUED until `makeRoom`. */
  crowded(): Promise<{ readonly backend: TaskBackend; makeRoom: () => Promise<void> }>;
  /**
   * Cuts a task off: nobody can say whether it runs. Undefined where that cannot happen.
   * @returns a function that ends that
   */
  readonly cutOff?: (key: TaskKey) => () => void;
  /** Starts a task with this program. */
  template(behaviour: Behaviour): TaskTemplate;
  stop(): Promise<void>;
}

/** An adapter and its name in reports. */
export interface TaskAdapter {
  readonly name: string;
  start(): Promise<TaskHarness>;
}

/** A lease that never ends. */
export const HELD: TaskLink = {
  heldForMs: () => 60_000,
  lossGraceMs: 7_500,
  isLost: () => false,
  saveCheckpoint: () => Promise.resolve(),
};

/**
 * An order for item 0 of a job, whose envelope is no other order's. The grace is short, since some tasks ignore the
 * request.
 */
export function orderOf(template: TaskTemplate, given: Partial<TaskOrder> = {}): TaskOrder {
  return {
    key: { cluster: 'contract', jobName: 'settle-orders', item: 0 },
    target: { fireTime: 1_000, origin: 'schedule', launch: 1 },
    run: 'run-1',
    token: 1n,
    template,
    resources: { cpu: 0.1, memoryMb: 512 },
    envelope: (answers) => JSON.stringify({ v: 1, ...answers, run: randomUUID() }),
    graceMs: 10_000,
    ...given,
  };
}
