import { type Clock, Deadline, waitFor, waitUntil } from '../clock/index.js';
import { guaranteedDelete, untilServed } from './request-policy.js';
import { childPath, parentPath } from './node-map.js';
import type { RegistryCenter, RequestOptions, Subtree } from './registry-center.js';
import { isRegistryFailure, isUnanswered, NodeExistsError, NoNodeError } from './registry.errors.js';
import { repeat } from '../repeat/index.js';

interface LatchOptions {
  /** Data of the own node. Curator's peers show it as the participant's id. @default '' */
  readonly data?: string;
  /** Longest wait for the latch, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** A latch that this client holds. */
export interface HeldLatch {
  /** Path of the own node. A transaction can check it: while it exists, no other participant holds the latch. */
  readonly path: string;
  /** Aborts when the latch may be lost: the session is SUSPENDED or LOST, or the own node was deleted. */
  readonly signal: AbortSignal;
  /** Frees the latch. Resolves when the own node is gone, with no time limit. Never rejects. */
  release(): Promise<void>;
}

/** Curator's name for the nodes of a leader latch. */
const LOCK_NAME = 'latch-';

/**
 * Acquires Curator's leader latch, in the same nodes: participants queue with ephemeral sequential nodes, and the first
 * one holds the latch.
 *
 * ```
 * joining -> waiting --own node is first--> held --SUSPENDED, LOST, own node deleted--> signal aborts
 *              |                             |
 *              +-- time is up, aborted       +-- release: own node deleted
 * ```
 *
 * - The own node's name holds a UUID (`_c_{uuid}-latch-{number}`). If the reply to its creation is lost, the node is
 *   found by that name and never created twice. A node that is no longer wanted is deleted, with no time limit.
 * - The view watches the names of the whole queue, not the predecessor alone. That costs no request, and a one-shot
 *   watch would destroy a recursive one on its path.
 * - The own node goes with its session, so the latch never outlives the session.
 *
 * @returns undefined if the latch was not acquired in time
 * @throws {RegistryUnavailableError}
 * @throws {SessionLostError}
 * @throws the signal's reason
 * @see Curator, `LeaderLatch`, and "protected" creation
 */
export async function acquireLatch(
  registry: RegistryCenter,
  clock: Clock,
  path: string,
  options: LatchOptions,
): Promise<HeldLatch | undefined> {
  const participant = new Participant(registry, clock, path, options);
  try {
    const held = await participant.acquire();
    if (!held) void participant.leave();
    return held;
  } catch (error) {
    void participant.leave();
    throw error;
  }
}

/** One place in the queue. */
class Participant {
  private readonly name: string;
  private readonly deadline: Deadline;
  private readonly holding = new AbortController();
  private view?: Subtree;
  /** Name of the own node, as the view shows it. */
  private own?: string;
  private onChange: () => void = () => {};
  private readonly stopListening: () => void;

  constructor(
    private readonly registry: RegistryCenter,
    private readonly clock: Clock,
    private readonly path: string,
    private readonly options: LatchOptions,
  ) {
    this.name = `_c_${clock.uuid()}-${LOCK_NAME}`;
    this.deadline = Deadline.after(clock, options.timeoutMs);
    this.stopListening = registry.onSession(() => this.onChange());
  }

  async acquire(): Promise<HeldLatch | undefined> {
    const options = { ...this.limits(), holds: () => false };
    const view = await this.registry.openSubtree(this.path, () => this.onChange(), options);
    this.view = view;
    for (;;) {
      const own = this.ownIn(view);
      this.own = own;
      if (own === undefined) {
        await this.join(view);
      } else if (this.isFirst(view, own) && isConnected(this.registry)) {
        // The view may be outdated and still show an own node that was deleted.
        await view.sync(this.limits());
        if (this.isFirst(view, own)) return this.hold(view, own);
      } else if (!(await this.change())) {
        return undefined;
      }
    }
  }

  /** Leaves the queue, with or without the latch. Never rejects. */
  async leave(): Promise<void> {
    this.stopListening();
    this.onChange = () => {};
    this.holding.abort();
    try {
      await this.removeOwn();
    } catch {
      // Not repeatable: the node's ACL was changed, or it has children.
    }
    this.view?.close();
  }

  /** Creates the own node. Afterwards the view shows it, unless it was deleted meanwhile. */
  private async join(view: Subtree): Promise<void> {
    try {
      const { data = '' } = this.options;
      await this.registry.create(childPath(this.path, this.name), data, 'EPHEMERAL_SEQUENTIAL', this.limits());
    } catch (error) {
      if (error instanceof NoNodeError) await createContainers(this.registry, this.path, this.limits());
      else if (!isUnanswered(error) || error.fate !== 'unknown' || !(await this.reconnected())) throw error;
    }
    if (this.ownIn(view) === undefined) await view.sync(this.limits());
  }

  /** @returns false if the time is up */
  private reconnected(): Promise<boolean> {
    const { deadline, options, registry } = this;
    const onChange = (look: () => void) => registry.onSession(look);
    return waitUntil(() => isConnected(registry), onChange, { deadline, signals: [options.signal] });
  }

  private hold(view: Subtree, own: string): HeldLatch {
    const path = childPath(this.path, own);
    this.onChange = () => {
      if (this.holding.signal.aborted) return;
      if (!isConnected(this.registry) || !view.has(path)) this.holding.abort();
    };
    this.onChange();
    return { path, signal: this.holding.signal, release: () => this.leave() };
  }

  private isFirst(view: Subtree, own: string): boolean {
    return !view.children(this.path).some((name) => numberOf(name) < numberOf(own));
  }

  private ownIn(view: Subtree): string | undefined {
    return view.children(this.path).find((name) => name.startsWith(this.name));
  }

  /** Waits until the queue or the session changes. @returns false if the time is up @throws the signal's reason */
  private change(): Promise<boolean> {
    const arm = (goOn: () => void) => {
      this.onChange = goOn;
      return () => (this.onChange = () => {});
    };
    return waitFor(arm, { deadline: this.deadline, signals: [this.options.signal] });
  }

  private async removeOwn(): Promise<void> {
    const { registry, clock, view } = this;
    if (this.own !== undefined) return guaranteedDelete(registry, clock, childPath(this.path, this.own));
    if (!view) return;
    // The creation was not answered, or not sent. If the session has ended, the node went with it.
    const policy = untilServed(registry, clock, { signal: undefined, isRepeated: isRegistryFailure });
    await repeat(policy, () => view.sync());
    const own = this.ownIn(view);
    if (own !== undefined) await guaranteedDelete(registry, clock, childPath(this.path, own));
  }

  private limits(): RequestOptions {
    return { signal: this.options.signal, timeoutMs: this.deadline.leftMs };
  }
}

/** Creates containers as Curator does: the registry removes them some time after the queue is empty. */
async function createContainers(registry: RegistryCenter, path: string, options: RequestOptions): Promise<void> {
  const parent = parentPath(path);
  try {
    await registry.create(path, '', 'CONTAINER', options);
  } catch (error) {
    if (error instanceof NodeExistsError) return;
    if (!(error instanceof NoNodeError) || parent === undefined) throw error;
    await createContainers(registry, parent, options);
    await createContainers(registry, path, options);
  }
}

function isConnected({ session }: RegistryCenter): boolean {
  return session.state === 'CONNECTED' || session.state === 'RECONNECTED';
}

/**
 * Sequence number of a participant. Participants are sorted by the part after the lock's name only.
 * @see Curator, `LockInternals`
 */
function numberOf(name: string): string {
  return name.slice(name.lastIndexOf(LOCK_NAME) + LOCK_NAME.length);
}
