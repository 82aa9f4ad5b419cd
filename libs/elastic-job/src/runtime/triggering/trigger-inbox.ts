import { type JobTree, untilCommitted } from '../../coordination/index.js';
import type { RegistryNode } from '../../registry/index.js';
import { JobReconciler, type Report } from '../news/index.js';
import { repeat } from '../../repeat/index.js';

/**
 * Takes operators' requests from `trigger/{own id}`: reads and removes each one as soon as it appears, so that the next
 * one can follow. Each is told once, even if the reply to its removal is lost.
 */
export class TriggerInbox {
  private readonly taking: JobReconciler;
  /** Request that was read, and perhaps removed already. */
  private read: RegistryNode | undefined;
  private isOpen = false;

  /** @param onRequest receives each request, in order; must not throw */
  constructor(
    private readonly tree: JobTree,
    report: Report,
    private readonly onRequest: (node: RegistryNode) => void,
  ) {
    this.taking = new JobReconciler(tree, report, 'taking a trigger', () => this.take());
  }

  /** Starts taking requests, including one that exists already. */
  open(): void {
    this.isOpen = true;
    this.wake();
  }

  /** Takes nothing more. A request whose removal has no answer by the end of the session may be gone, so it is told. */
  close(): void {
    this.taking.stop();
    void this.tellUnknown();
  }

  private async tellUnknown(): Promise<void> {
    await this.taking.rested();
    if (this.read !== undefined) this.onRequest(this.read);
    this.read = undefined;
  }

  /** Looks for a request. */
  wake(): void {
    if (this.isOpen) this.taking.wake();
  }

  private async take(): Promise<void> {
    await repeat(untilCommitted(this.tree, 'taking a trigger'), () => this.tryTake());
  }

  /** @returns undefined if the request has changed meanwhile */
  private async tryTake(): Promise<true | undefined> {
    const { tree } = this;
    const { signal } = tree;
    const path = tree.paths.trigger(tree.self.jobInstanceId);
    if (!(await tree.load([path], { signal }))) return undefined;
    const node = tree.node(path);
    // The node was replaced or removed, so the removal of the request that was read succeeded.
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
