import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach } from 'vitest';
import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import {
  LocalProcesses,
  type LocalProcessesOptions,
  type TaskBackendEvent,
  type TaskHandle,
  type TaskLink,
  type TaskOrder,
  type TaskState,
} from '../../../libs/elastic-job/src/cloud/index.js';
import { processesWith } from '../../support/faults/found-processes.js';
import { HELD, orderOf } from '../../contract/tasks/harness.js';
import { endOf, launched } from '../../contract/tasks/support.js';

const MARK = 'TASK_MARK';
const clock = new SystemClock();

/** A backend of child processes, new for each test, with everything that it has started. */
export class LocalStage {
  readonly clock = clock;
  readonly events: TaskBackendEvent[] = [];
  backend: LocalProcesses;
  private items = 0;
  private mark = randomUUID();

  constructor(private readonly options: () => LocalProcessesOptions) {
    beforeEach(() => this.begin());
    afterEach(() => this.backend.stop());
  }

  /** Claims and opens a task that runs a program. */
  async run(command: readonly string[], given: Partial<TaskOrder> = {}, link: TaskLink = HELD): Promise<TaskHandle> {
    const template = { command, ...given.template, env: { [MARK]: this.mark, ...given.template?.env } };
    const key = { cluster: 'contract', jobName: 'settle-orders', item: (this.items += 1) };
    const handle = launched(await this.backend.claim(orderOf(template, { key, ...given, template })));
    await this.backend.open(handle, link);
    return handle;
  }

  /** Runs a program to its end. */
  async endOf(command: readonly string[], given?: Partial<TaskOrder>, link?: TaskLink): Promise<TaskState> {
    return endOf(this.backend, await this.run(command, given, link));
  }

  /** Resolves once the output of a task contains a text. @throws if the task ends without it */
  async output(handle: TaskHandle, text: string): Promise<string> {
    for (;;) {
      const written = (await this.backend.tail(handle, 65_536)) ?? '';
      if (written.includes(text)) return written;
      await clock.sleep(10, AbortSignal.timeout(20_000));
    }
  }

  /** Ids of all living processes of its tasks. */
  processes(): readonly number[] {
    return processesWith(MARK, this.mark);
  }

  private async begin(): Promise<void> {
    this.mark = randomUUID();
    this.events.length = 0;
    this.backend = new LocalProcesses(this.options());
    await this.backend.start({ clock, cluster: 'contract', emit: (event) => void this.events.push(event) });
  }
}
