import { type ClientProcess, forkClient } from '@test/support/faults/index.js';

/** Message to a scheduler in a process of its own. */
export interface SchedulerOrder {
  /** The URL of the supervisor's file. */
  readonly supervisor: string;
  readonly programs: readonly (readonly string[])[];
  readonly env: Readonly<Record<string, string>>;
  readonly heldForMs: number;
  /** @default longer than any test */
  readonly lossGraceMs?: number;
  readonly graceMs: number;
  /** The scheduler goes there and deletes it, before it starts. */
  readonly goneDirectory?: string;
  /** The directory of the programs. @default the scheduler's */
  readonly workingDirectory?: string;
}

/** Starts a scheduler, and resolves once all of its tasks are ready. */
export async function startScheduler(order: SchedulerOrder): Promise<ClientProcess> {
  const scheduler = forkClient(new URL('./scheduler.fixture.ts', import.meta.url));
  await scheduler.receive((message) => message === 'listens', 30_000);
  scheduler.send(order);
  await scheduler.receive((message) => message === 'ready', 30_000);
  return scheduler;
}
