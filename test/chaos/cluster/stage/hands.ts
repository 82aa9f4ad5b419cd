import { setTimeout as delay } from 'node:timers/promises';
import type { Seeded } from '@test/support/seeded.js';
import type { JobPlan } from '../check/index.js';
import type { Cluster } from './cluster.js';
import { RETRY_MS } from './worker-faults.js';

const SHORTEST_CALM_MS = 500;
const LONGEST_CALM_MS = 6_000;
const REPEAT_MS = 100;
/** Share of the edits that make a total smaller. */
const SHRINKS = 0.7;
/** Longest time until an edit is done, and until a deleted node is there again, whatever else is broken. */
const LIMIT_MS = 60_000;
const SUFFERING = { victim: undefined, isPause: false, isFatal: false, retryMs: RETRY_MS };

/** Nodes that a job's instances lay again, each with all below it. Without `instances` they would leave. */
const DELETED = ['config', 'leader', 'leader/election', 'leader/election/term', 'leader/sharding', 'sessions'];

/**
 * Edits the tree as operators do, until that time of `performance.now()`: totals shrink and grow again, and nodes are
 * deleted. Resolves when all is as it was.
 */
export async function editByHand(cluster: Cluster, random: Seeded, end: number): Promise<void> {
  while (performance.now() < end) {
    await delay(random.between(SHORTEST_CALM_MS, LONGEST_CALM_MS));
    const edit = random.next() < SHRINKS ? shrinkTotal : deleteNode;
    await edit(cluster, random.of(cluster.options.jobs), random);
  }
}

/** Ends the last items of the job for a while. */
async function shrinkTotal({ faults, tree }: Cluster, { name: job, items }: JobPlan, random: Seeded): Promise<void> {
  const { registry } = tree.operatorOf(job);
  const writeTotal = (total: number) =>
    untilDone(async () => {
      const { data } = (await registry.read(`/${job}/config`))!;
      await registry.set(`/${job}/config`, data.replace(/(?<=^shardingTotalCount: )\d+/m, String(total)));
    });
  const total = 1 + random.below(items - 1);
  const ended = Array.from({ length: items - total }, (_, index) => total + index);
  const healed = faults.open({ ...SUFFERING, kind: 'total smaller', items: { job, items: ended }, edits: job });
  await writeTotal(total);
  await delay(random.between(200, 4_000));
  await writeTotal(items);
  healed();
}

/** Deletes a node that the job needs, with all below it. */
async function deleteNode({ faults, tree }: Cluster, { name: job, items }: JobPlan, random: Seeded): Promise<void> {
  const operator = tree.operatorOf(job);
  const node = random.of(DELETED);
  const path = `/${job}/${node}`;
  const all = Array.from({ length: items }, (_, item) => item);
  const affected = { items: { job, items: all }, ...(node === 'config' && { edits: job }) };
  const healed = faults.open({ ...SUFFERING, kind: 'node deleted by hand', ...affected });
  const isBelow = (other: string) => other === path || other.startsWith(`${path}/`);
  await untilDone(async () => {
    const paths = operator.nodes().flatMap((each) => (isBelow(each.path) ? [each.path] : []));
    for (const each of paths.toReversed()) await operator.registry.delete(each);
  });
  await tree.untilThere(job, node, LIMIT_MS);
  healed();
}

/** Repeats an edit that the ensemble, which may be down, or somebody else's write prevents. */
async function untilDone(edit: () => Promise<unknown>): Promise<void> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  for (;;) {
    try {
      return void (await edit());
    } catch (error) {
      if (limit.aborted) throw error;
      await delay(REPEAT_MS);
    }
  }
}
