import { publicCalls } from '../../async-context/index.js';
import { isFileUrl, messageOf, type OptionRow, OptionTable, rule, wholeNumber } from '../../domain/index.js';
import {
  type Claimed,
  type TaskBackend,
  TaskBackendError,
  type TaskHandle,
  type TaskHost,
  type TaskLink,
} from '../task-backend.js';
import { TASK_CHANNEL } from '../task-channel.js';
import { judgeClaim, placeOf, type TaskKey, type TaskOrder, type TaskTemplate } from '../task-order.js';
import type { TaskState } from '../task-state.js';
import { LocalTask } from './local-task.js';
import { hasProcessTable, killTasks } from './process-table.js';
import type { SupervisorReport } from './supervisor/supervisor-messages.js';
import { Supervisors } from './supervisors.js';
import { commandOf, findTemplateFault } from './task-process.js';

/** Most bytes that are kept of a task's output. */
const OUTPUT_LIMIT = 65_536;
const STOPPED = 'its scheduler has stopped';

/** How child processes are run. */
export interface LocalProcessesOptions {
  /**
   * Most tasks that run at the same time. A whole number from 1. Further ones wait as QUEUED; their time limit begins
   * with their process.
   * @default the processors of the host
   */
  readonly maxTasks?: number;
  /**
   * How often the processes and the resident memory of each task are read, in milliseconds, from 1. A task that has
   * more than its `resources.memoryMb` is killed. Where there is no `/proc` nothing limits it.
   * @default 500
   */
  readonly memoryPollMs?: number;
  /**
   * Place of the file behind `nestjs-elastic-job/task-supervisor`, if the application is bundled.
   * @default beside this one
   */
  readonly supervisorUrl?: URL;
}

const ROWS = {
  maxTasks: { rule: wholeNumber({ from: 1 }) },
  memoryPollMs: { rule: wholeNumber({ from: 1 }) },
  supervisorUrl: { rule: rule('a file: URL', isFileUrl) },
} as const satisfies Readonly<Record<keyof LocalProcessesOptions, OptionRow>>;

/** Options of `LocalProcesses`. */
const PROCESSES_TABLE = new OptionTable(ROWS, 'LocalProcesses');

/**
 * Tasks as child processes of this host. They end with their scheduler, so they cannot be adopted.
 *
 * A separate process supervises them: it starts each in a session of its own, and kills the whole task as soon as the
 * pipe to the scheduler closes. So the death of a scheduler ends its tasks in any case. If the supervisor dies, the
 * scheduler kills its tasks, which are LOST, and starts another supervisor. If both die together, the kernel kills the
 * first process of each task, where `setpriv` of util-linux is there.
 *
 * The supervisor knows how long the scheduler may act for an item, and kills the task before others can begin it: also
 * if the scheduler stands still or is cut off, and whatever the task does.
 *
 * A task ends with all of its processes: those of its session, those that have its envelope in their environment, and
 * the descendants of both. A process that has left all of these may not be found, and stays. `resources.cpu` limits
 * nothing here.
 */
@publicCalls()
export class LocalProcesses implements TaskBackend {
  readonly name = 'processes';
  readonly adopts = false;
  readonly hasLink = true;
  readonly leastIntervalMs = 1_000;
  private readonly options: LocalProcessesOptions;
  private readonly places = new Map<string, LocalTask>();
  /** In the order in which they were opened. */
  private readonly waiting = new Set<LocalTask>();
  private readonly running = new Map<string, LocalTask>();
  private readonly questions = new Map<number, (text: string | undefined) => void>();
  private asked = 0;
  private host: TaskHost | undefined;
  private supervisors: Supervisors | undefined;

  /** @throws {ConfigurationError} for wrong and unknown options */
  constructor(options: LocalProcessesOptions = {}) {
    this.options = PROCESSES_TABLE.checked('LocalProcesses', options);
  }

  /** Known once the backend is started. */
  get mostTasks(): number | undefined {
    return this.options.maxTasks ?? this.host?.clock.processors();
  }

  findFault(template: TaskTemplate): string | undefined {
    return findTemplateFault(template);
  }

  async start(host: TaskHost): Promise<void> {
    if (this.supervisors !== undefined) throw this.error('start', undefined, 'the backend was started already');
    const { memoryPollMs = 500, supervisorUrl = new URL('./supervisor/task-supervisor.js', import.meta.url) } =
      this.options;
    const supervisors: Supervisors = new Supervisors(
      host,
      supervisorUrl,
      { memoryPollMs, outputLimit: OUTPUT_LIMIT },
      {
        ready: () => this.fill(),
        reported: (report) => this.take(report),
        died: (error) => this.lose(this.supervisors === supervisors ? error.message : STOPPED),
      },
    );
    this.host = host;
    this.supervisors = supervisors;
    if (!hasProcessTable()) {
      host.emit({ kind: 'warning', message: 'The memory of tasks is not limited, since this host has no /proc.' });
    }
    try {
      await supervisors.start();
    } catch (cause) {
      if (this.supervisors === supervisors) this.supervisors = undefined;
      throw this.error('start', undefined, 'the supervisor of tasks could not be started', cause);
    }
  }

  async claim(order: TaskOrder, signal?: AbortSignal): Promise<Claimed> {
    signal?.throwIfAborted();
    const { host } = this;
    if (host === undefined || this.supervisors === undefined) throw this.notRunning('claim', order.key);
    const place = placeOf(order.key);
    const standing = this.places.get(place);
    if (standing === undefined) {
      const task = this.reserve(order, host);
      this.places.set(place, task);
      return { kind: 'launched', handle: task.handle };
    }
    const verdict = judgeClaim(standing.order, order, this.adopts);
    if (verdict === 'taken') return { kind: 'taken' };
    if (verdict === 'own') return { kind: 'launched', handle: standing.handle };
    return { kind: 'occupied', by: standing.handle, hasEnded: standing.history.hasEnded };
  }

  async open(handle: TaskHandle, link: TaskLink, signal?: AbortSignal): Promise<'opened' | 'taken'> {
    signal?.throwIfAborted();
    if (this.supervisors === undefined) throw this.notRunning('open', handle.key);
    const task = this.heldBy(handle);
    if (task === undefined) return 'taken';
    task.open(link);
    if (task.isWaiting) this.waiting.add(task);
    this.fill();
    return 'opened';
  }

  async *watch(handle: TaskHandle, signal: AbortSignal): AsyncIterable<TaskState> {
    signal.throwIfAborted();
    const task = this.taskOf(handle);
    if (task === undefined) yield { name: 'UNKNOWN', detail: 'it was released' };
    else yield* task.history.watch(signal);
  }

  async cancel(handle: TaskHandle, graceMs: number): Promise<void> {
    this.heldBy(handle)?.cancel(graceMs);
  }

  async tail(handle: TaskHandle, bytes: number): Promise<string | undefined> {
    const task = this.taskOf(handle);
    if (task === undefined || !task.isRunning) return task?.tail(bytes);
    const question = (this.asked += 1);
    const answer = new Promise<string | undefined>((resolve) => this.questions.set(question, resolve));
    this.supervisors?.send({ kind: 'tail', id: task.uid, question, bytes });
    // It may have ended before the question arrived.
    return (await answer) ?? task.tail(bytes);
  }

  async release(handle: TaskHandle): Promise<void> {
    const task = this.heldBy(handle);
    if (task === undefined) return;
    await task.kill();
    const place = placeOf(handle.key);
    if (this.places.get(place) === task) this.places.delete(place);
  }

  async *list(signal?: AbortSignal): AsyncIterable<TaskHandle> {
    for (const { handle } of this.places.values()) {
      signal?.throwIfAborted();
      if (handle.key.cluster === this.host?.cluster) yield handle;
    }
  }

  async stop(): Promise<void> {
    const { supervisors } = this;
    if (supervisors === undefined) return;
    this.supervisors = undefined;
    for (const task of this.places.values()) {
      if (!task.isRunning && !task.history.hasEnded) task.endWithout({ name: 'LOST', detail: STOPPED });
    }
    await supervisors.stop();
  }

  private reserve(order: TaskOrder, { clock }: TaskHost): LocalTask {
    const task: LocalTask = new LocalTask(order, order.envelope({ channel: TASK_CHANNEL }), clock.uuid(), {
      clock,
      send: (said) => this.supervisors?.send(said),
      ended: () => {
        this.running.delete(task.uid);
        this.waiting.delete(task);
        this.fill();
      },
    });
    return task;
  }

  /** Starts waiting tasks while there is room. */
  private fill(): void {
    const { mostTasks: most = 1 } = this;
    for (const task of this.waiting) {
      if (this.supervisors?.isReady !== true) task.wait('the supervisor of tasks is being started');
      else if (this.running.size >= most) task.wait(`${most} tasks run already`);
      else this.begin(task);
    }
  }

  private begin(task: LocalTask): void {
    this.waiting.delete(task);
    this.running.set(task.uid, task);
    try {
      task.start(commandOf(task.order, task.envelope));
    } catch (error) {
      task.endWithout({ name: 'ERROR', detail: messageOf(error) });
    }
  }

  private take(report: SupervisorReport): void {
    switch (report.kind) {
      case 'ready':
        return;
      case 'started':
        return this.running.get(report.id)?.started(report.pid);
      case 'said':
        return this.running.get(report.id)?.said(report.lines);
      case 'ended':
        return this.running.get(report.id)?.ended(report.ending);
      case 'tail':
        this.questions.get(report.question)?.(report.text ?? undefined);
        this.questions.delete(report.question);
        return;
      default:
        report satisfies never;
    }
  }

  /** Ends the tasks of a supervisor that has died. A process whose start was not reported is found by its envelope. */
  private async lose(detail: string): Promise<void> {
    const lost = [...this.running.values()];
    if (lost.length > 0) await killTasks(lost, this.host!.clock);
    for (const answer of this.questions.values()) answer(undefined);
    this.questions.clear();
    for (const task of lost) task.endWithout({ name: 'LOST', detail });
  }

  /** The task of a handle, whichever run holds it. */
  private taskOf({ key, uid }: TaskHandle): LocalTask | undefined {
    const task = this.places.get(placeOf(key));
    return task?.uid === uid ? task : undefined;
  }

  private heldBy(handle: TaskHandle): LocalTask | undefined {
    const task = this.taskOf(handle);
    return task !== undefined && handle.token >= task.order.token ? task : undefined;
  }

  private notRunning(request: string, key: TaskKey): TaskBackendError {
    return this.error(request, key, 'the backend was not started, or has stopped');
  }

  private error(request: string, key: TaskKey | undefined, detail: string, cause?: unknown): TaskBackendError {
    return new TaskBackendError(this.name, request, key, detail, cause === undefined ? undefined : { cause });
  }
}
