import { planSharding, serverIpOf } from '../../../libs/elastic-job/src/domain/index.js';
import { membersOf } from '../calm.js';
import type { History } from '../history.js';
import { Replay } from '../replay.js';
import { itemKey, type Violation } from './invariant.js';

/** 5. Every item has a present owner after everything has settled. */
export function check05CompleteCover(history: History): Violation[] {
  history.judgesCalm(5);
  return history.calmJobs.flatMap(({ jobName, configuration, from, to }) =>
    [from, to].flatMap((at) => {
      const tree = history.treeAt(at - 1);
      const members = membersOf(tree, jobName);
      const items = Array.from({ length: configuration.shardingTotalCount }, (_, item) => item);
      return items.flatMap((item) => {
        const owner = tree.get(`/${jobName}/sharding/${item}/instance`)?.data;
        if (owner !== undefined && members.includes(owner)) return [];
        const message = `${itemKey(jobName, item)} is owned by ${owner ?? 'nobody'}, who is not there`;
        return [{ at, message, about: `/${jobName}/sharding/${item}/instance` }];
      });
    }),
  );
}

/**
 * 7. After everything has settled, owners do not change, and no member has two items more than another. The owners are
 * those of a plan that the job's strategy makes anew.
 */
export function check07BoundedResharding(history: History): Violation[] {
  history.judgesCalm(7);
  return history.calmJobs.flatMap(({ jobName, from, to, tree, members, configuration }) => {
    const moves = history.commits.filter(
      ({ at, writes }) =>
        at > from &&
        at < to &&
        writes.some(
          // An item beyond a smaller total that still ran loses its owner as it ends.
          ({ kind, path }) =>
            kind !== 'deleted' &&
            path.startsWith(`/${jobName}/`) &&
            path.endsWith('/instance') &&
            path.includes('/sharding/'),
        ),
    );
    const owned = members.map(
      (id) =>
        tree
          .children(`/${jobName}/sharding`)
          .filter((item) => Number(item) < configuration.shardingTotalCount)
          .filter((item) => tree.get(`/${jobName}/sharding/${item}/instance`)?.data === id).length,
    );
    const { strategy, shardingTotalCount } = configuration;
    const owners = ownersIn(tree, jobName, shardingTotalCount);
    const instances = members.map((id) => ({ jobInstanceId: id, serverIp: serverIpOf(id) }));
    const misplaced = [...planSharding(strategy, instances, jobName, shardingTotalCount, owners)]
      .filter(([item, owner]) => owners.get(item) !== owner)
      .map(([item, owner]) => ({
        at: from,
        message: `${itemKey(jobName, item)} is owned by ${owners.get(item)}, where ${strategy.type} has ${owner}`,
        about: `/${jobName}/sharding/${item}/instance`,
      }));
    const violations = moves.map(({ at, zxid }) => ({
      at,
      message: `items of ${jobName} changed hands without a cause`,
      about: zxid.toString(16),
    }));
    if (Math.max(...owned) - Math.min(...owned) <= 1) return [...violations, ...misplaced];
    return [
      ...violations,
      ...misplaced,
      { at: from, message: `${jobName} is spread as ${owned.join(', ')}`, about: `/${jobName}/sharding` },
    ];
  });
}

/** The instance id of each item's owner. */
function ownersIn(tree: Replay, jobName: string, total: number): ReadonlyMap<number, string> {
  const owners = Array.from({ length: total }, (_, item) => tree.get(`/${jobName}/sharding/${item}/instance`)?.data);
  return new Map(owners.flatMap((owner, item) => (owner === undefined ? [] : [[item, owner]])));
}

/** 8. Only the holder of an item removes its mark, unless the holder is gone. */
export function check08Stickiness(history: History): Violation[] {
  const tree = new Replay();
  const violations: Violation[] = [];
  for (const commit of history.commits) {
    for (const { kind, path } of commit.writes) {
      const { jobName, node } = history.nodeOf(path);
      if (kind !== 'deleted' || node.kind !== 'item-running') continue;
      history.judges(8);
      const mark = tree.get(path);
      const isThere = mark !== undefined && tree.has(`/${jobName}/instances/${mark.data}`);
      // A manual mark belongs to the instance that it names.
      const isOwn = mark?.createdBy === commit.session || mark?.data.endsWith(`-${commit.session}`);
      if (!isThere || isOwn) continue;
      const message = `session ${commit.session} took the mark of ${mark.data} from ${itemKey(jobName, node.item)}`;
      violations.push({ at: commit.at, message, about: commit.zxid.toString(16) });
    }
    tree.apply(commit);
  }
  return violations;
}
