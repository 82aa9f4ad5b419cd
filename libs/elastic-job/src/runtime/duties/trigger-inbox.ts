// Covered by test/scenario/triggers.spec.ts
import { untilCommitted } from '../../coordination/index.js';
import type { RegistryNode } from '../../registry/index.js';
import { type JobContext, SessionReaction } from '../leases/index.js';

/**
 * Takes operators' requests, which stand in `trigger/{own id}`: reads each and removes it, as soon as it appears, so
 * that the next one can follow. What was taken is told once, also if the reply to the removal is lost.
 */
export class TriggerInbox {
  private readonly taking: SessionReaction;
  /** Read, and perhaps removed already. */
  private read: RegistryNode | undefined;
  private isOpen = false;

  /** @param onRequest is told of each request, in order; must not throw */
  constructor(
    private readonly context: JobContext,
    private readonly onRequest: (node: RegistryNode) => void,
  ) {
    this.taking = new SessionReaction(context, 'taking a trigger', () => this.take());
  }

  /** From now on, with what is there already. */
  open(): void {
    this.isOpen = true;
    this.wake();
  }

  close(): void {
    this.taking.stop();
  }

  /** A request may stand there. */
  wake(): void {
    if (this.isOpen) this.taking.wake();
  }

  private async take(): Promise<void> {
    await untilCommitted(this.context.tree, 'taking a trigger', () => this.tryTake());
  }

  /** @returns undefined if the request has changed meanwhile */
  private async tryTake(): Promise<true | undefined> {
    const { tree } = this.context;
    const { signal } = tree;
    const path = tree.paths.trigger(tree.self.jobInstanceId);
    if (!(await tree.load([path], { signal }))) return undefined;
    const node = tree.node(path);
    // Another one stands there, or none: what was read is gone.
    if (this.read !== undefined && this.read.stat.czxid !== node?.stat.czxid) this.onRequest(this.read);
    this.read = node;
    if (node === undefined) return true;
    const removal = [...tree.descendants(path), path].map((below) => ({ kind: 'delete', path: below }) as const);
    const result = await tree.commit(removal, { signal });
    if (result.kind === 'refused') return undefined;
    this.read = undefined;
    this.onRequest(node);
    return true;
  }
}
