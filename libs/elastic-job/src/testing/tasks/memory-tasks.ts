import {
  type Claimed,
  judgeClaim,
  placeOf,
  type TaskBackend,
  TaskBackendError,
  type TaskHandle,
  type TaskHost,
  type TaskKey,
  type TaskLink,
  type TaskOrder,
  type TaskState,
  type TaskTemplate,
} from '../../cloud/index.js';
import { MemoryTask } from './memory-task.js';
import type { MemoryTaskStore } from './memory-task-store.js';
import type { TaskRequest } from './task-holds.js';

/** One request of a scheduler. */
interface Asked<T> {
  readonly request: TaskRequest;
  readonly key?: TaskKey | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly effect: () => T;
}

/**
 * Backend of one scheduler over a `MemoryTaskCluster`. Between a request, its effect and the answer are turns on the
 * scheduler's own clock: a paused scheduler goes no further, and a dead one never does.
 */
export class MemoryTasks implements TaskBackend {
  readonly name = 'memory';
  readonly adopts: boolean;
  readonly hasLink: boolean;
  readonly leastIntervalMs: number;
  private host: TaskHost | undefined;
  private isDead = false;

  /** @internal */
  constructor(
    private readonly store: MemoryTaskStore,
    /** Name of its scheduler. */
    readonly scheduler: string,
  ) {
    const { adopts, hasLink, leastIntervalMs } = store.settings;
    this.adopts = adopts;
    this.hasLink = hasLink;
    this.leastIntervalMs = leastIntervalMs;
  }

  findFault({ command }: TaskTemplate): string | undefined {
    return command?.length === 0 ? 'command must name a program, or be left out' : undefined;
  }

  async start(host: TaskHost): Promise<void> {
    this.host = host;
    host.emit({ kind: 'connected' });
  }

  claim(order: TaskOrder, signal?: AbortSignal): Promise<Claimed> {
    return this.ask({ request: 'claim', key: order.key, signal, effect: () => this.claimNow(order) });
  }

  open(handle: TaskHandle, link: TaskLink, signal?: AbortSignal): Promise<'opened' | 'taken'> {
    const effect = (): 'opened' | 'taken' => {
      const task = this.heldBy(handle);
      task?.open(link);
      return task === undefined ? 'taken' : 'opened';
    };
    return this.ask({ request: 'open', key: handle.key, signal, effect });
  }

  async *watch(handle: TaskHandle, signal: AbortSignal): AsyncIterable<TaskState> {
    const effect = (): MemoryTask | undefined => this.taskOf(handle);
    const task = await this.ask({ request: 'watch', key: handle.key, signal, effect });
    if (task === undefined) {
      yield { name: 'UNKNOWN', detail: 'it was released' };
      return;
    }
    for await (const state of task.history.watch(signal)) {
      await this.pass('state');
      signal.throwIfAborted();
      yield state;
    }
  }

  cancel(handle: TaskHandle, graceMs: number): Promise<void> {
    const effect = (): void => this.heldBy(handle)?.cancel(graceMs);
    return this.ask({ request: 'cancel', key: handle.key, effect });
  }

  tail(handle: TaskHandle, bytes: number): Promise<string | undefined> {
    return this.ask({ request: 'tail', key: handle.key, effect: () => this.taskOf(handle)?.tail(bytes) });
  }

  release(handle: TaskHandle): Promise<void> {
    const effect = (): void => {
      const task = this.heldBy(handle);
      if (task === undefined) return;
      task.release();
      this.store.places.delete(placeOf(handle.key));
      this.store.world.emit({ kind: 'released', handle: task.handle });
    };
    return this.ask({ request: 'release', key: handle.key, effect });
  }

  async *list(signal?: AbortSignal): AsyncIterable<TaskHandle> {
    const cluster = this.host?.cluster;
    const effect = (): readonly TaskHandle[] =>
      [...this.store.places.values()].map(({ handle }) => handle).filter(({ key }) => key.cluster === cluster);
    for (const handle of await this.ask({ request: 'list', signal, effect })) {
      signal?.throwIfAborted();
      yield handle;
    }
  }

  async stop(): Promise<void> {
    this.host = undefined;
    this.endOwn('its scheduler has stopped');
  }

  /** The scheduler dies: it gets no more answers. Its tasks stay if others can adopt them. */
  kill(): void {
    this.isDead = true;
    this.endOwn('its scheduler has died');
  }

  private claimNow(order: TaskOrder): Claimed {
    const place = placeOf(order.key);
    const standing = this.store.places.get(place);
    if (standing === undefined) {
      const task = new MemoryTask(order, this.store.settings.clock.uuid(), this.scheduler, this.store.world);
      this.store.places.set(place, task);
      this.store.world.emit({ kind: 'launched', handle: task.handle });
      return { kind: 'launched', handle: task.handle };
    }
    const { target } = standing.order;
    const verdict = judgeClaim({ ...standing.holder, target }, order, this.adopts);
    if (verdict === 'taken') return { kind: 'taken' };
    if (verdict === 'occupied') {
      return { kind: 'occupied', by: standing.handle, hasEnded: standing.history.hasEnded };
    }
    if (verdict === 'adopted') {
      standing.holder = { run: order.run, token: order.token };
      standing.scheduler = this.scheduler;
      this.store.world.emit({ kind: 'adopted', handle: standing.handle });
    }
    const isOwn = standing.order.run === standing.holder.run;
    return { kind: isOwn ? 'launched' : 'adopted', handle: standing.handle };
  }

  private async ask<T>({ request, key, signal, effect }: Asked<T>): Promise<T> {
    signal?.throwIfAborted();
    if (this.host === undefined) {
      throw new TaskBackendError(this.name, request, key, 'the backend was not started, or has stopped');
    }
    const held = { request, key, scheduler: this.scheduler };
    const hold = this.store.holds.take(held);
    await this.pass(request);
    await hold?.passes('before', held);
    await this.turn();
    const answer = effect();
    await hold?.passes('after', held);
    await this.turn();
    return answer;
  }

  /** Waits for the time of a message, which arrives only at a running scheduler. */
  private async pass(what: TaskRequest | 'state'): Promise<void> {
    const { clock, delayMs } = this.store.settings;
    const ms = delayMs(what);
    if (ms > 0) await clock.sleep(ms);
    await this.turn();
  }

  private async turn(): Promise<void> {
    await this.host?.clock.nextTurn();
    if (this.isDead) await new Promise(() => {});
  }

  private heldBy(handle: TaskHandle): MemoryTask | undefined {
    const task = this.taskOf(handle);
    return task !== undefined && handle.token >= task.holder.token ? task : undefined;
  }

  private taskOf({ key, uid }: TaskHandle): MemoryTask | undefined {
    const task = this.store.places.get(placeOf(key));
    return task?.uid === uid ? task : undefined;
  }

  private endOwn(detail: string): void {
    if (this.adopts) return;
    for (const task of this.store.places.values()) {
      if (task.scheduler === this.scheduler) task.end({ name: 'LOST', detail });
    }
  }
}
