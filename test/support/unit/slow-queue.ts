import { SettleQueue } from '../../../libs/elastic-job/src/coordination/execution/settle-queue.js';
import type { EndedItem } from '../../../libs/elastic-job/src/coordination/execution/ended-run.js';
import type { DelayedSettles } from '../../../libs/elastic-job/src/coordination/execution/delay-alarm.js';
import { JobTree } from '../../../libs/elastic-job/src/coordination/job-tree/index.js';
import type { Operation } from '../../../libs/elastic-job/src/registry/index.js';
import type { Member, Registry } from './member.js';

interface Limits {
  readonly latencyMs?: number;
  readonly maxRequestBytes?: number;
}

/** A queue of a member's ends, over a registry with latency. */
export async function slowQueue(registry: Registry, member: Member, { latencyMs = 10, maxRequestBytes }: Limits = {}) {
  const center = registry.memory.center({
    namespace: 'test',
    clock: registry.clock,
    sessionTimeoutMs: 10_000,
    requestTimeoutMs: 5_000,
    latencyMs,
    maxRequestBytes,
  });
  const connecting = center.connect();
  await registry.clock.advance(2 * latencyMs);
  await connecting;
  const opening = JobTree.open(center, registry.clock, member.tree.jobName, member.self);
  await registry.clock.advance(2 * latencyMs);
  const tree = await opening;
  const delayed: DelayedSettles[] = [];
  const queue = new SettleQueue(tree, registry.clock, undefined, (one) => delayed.push(one));
  const before = center.traffic.foreground;
  const told: string[] = [];
  const settled = Object.assign(
    (name: string, operations: readonly Operation[]): EndedItem => ({
      item: 0,
      fireTime: 0,
      paths: [operations[0]!.path],
      operations,
      isDisturbed: false,
      judgeStanding: () => 'fenced',
      onSettled: (isRecorded) => told.push(`${name} ${isRecorded}`),
    }),
    { told },
  );
  return { tree, queue, settled, delayed, transactions: () => center.traffic.foreground - before };
}

/** A write of an item, as its end. */
export function touch({ tree }: Member, item: number, data = '') {
  return { kind: 'set', path: tree.paths.item(item), data } as const;
}
