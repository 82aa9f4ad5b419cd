import { EventEmitter, once } from 'node:events';
import type { DemoEvent } from './demo-event.js';

/** Items by the name of their owner. */
export type Assignment = ReadonlyMap<string, readonly number[]>;

type Written = Extract<DemoEvent, { kind: 'wrote' }>;

/** Events so far. The demo's script waits here for its cues. */
export class Ledger {
  private readonly changes = new EventEmitter().setMaxListeners(0);
  private readonly written: Written[] = [];
  private readonly names = new Map<string, string>();
  private owners: readonly (readonly [item: number, instanceId: string])[] = [];
  private refusals = 0;

  /** @param deadline ends every wait */
  constructor(private readonly deadline: AbortSignal) {}

  record(event: DemoEvent): void {
    if (event.kind === 'wrote') this.written.push(event);
    if (event.kind === 'refused') this.refusals += 1;
    if (event.kind === 'joined') this.names.set(event.instanceId, this.nextName(event.instance));
    if (event.kind === 'resharded') this.owners = event.owners;
    this.changes.emit('change');
  }

  /** Stale writes that the store refused. */
  get refused(): number {
    return this.refusals;
  }

  /** Number of counted cities, of all instances or of one. */
  added(instance?: string): number {
    const events = this.written.filter((event) => instance === undefined || event.instance === instance);
    return events.reduce((sum, { added }) => sum + added, 0);
  }

  /** Accepted writes of an instance. */
  writes(instance: string): readonly Written[] {
    return this.written.filter((event) => event.instance === instance);
  }

  /** The accepted write with the newest token of an item. Reports of several processes may overtake each other. */
  newestWrite(item: number): Written | undefined {
    const writes = this.written.filter((event) => event.item === item);
    return writes.toSorted((a, b) => (BigInt(a.token) < BigInt(b.token) ? -1 : 1)).at(-1);
  }

  hasJoined(name: string): boolean {
    return [...this.names.values()].includes(name);
  }

  /** Owners of the items. An instance that has come back after the loss of its session is called `B again`. */
  get assignment(): Assignment {
    const assignment = new Map<string, number[]>();
    for (const [item, instanceId] of this.owners) {
      const name = this.names.get(instanceId) ?? instanceId;
      assignment.set(name, [...(assignment.get(name) ?? []), item]);
    }
    return assignment;
  }

  /**
   * Waits for a condition, which is checked again after each event.
   * @throws {Error} that names the condition, if the deadline comes first
   */
  async until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
    for (;;) {
      // Listens before the check, so that no event is missed meanwhile.
      const news = once(this.changes, 'change', { signal: this.deadline }).then(
        () => undefined,
        (cause: unknown) => new Error(`Waited in vain until ${what}.`, { cause }),
      );
      if (await condition()) return;
      const failure = await news;
      if (failure) throw failure;
    }
  }

  private nextName(instance: string): string {
    return this.hasJoined(instance) ? this.nextName(`${instance} again`) : instance;
  }
}
