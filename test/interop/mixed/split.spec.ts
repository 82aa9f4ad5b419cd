import { describe, expect, it } from 'vitest';
import { createShardingStrategy } from '../../../libs/elastic-job/src/domain/index.js';
import { jobSpec, ORDERS, RELEASES, useInterop, whyNot } from '../support/index.js';

const STRATEGIES = ['AVG_ALLOCATION', 'ODEVITY', 'ROUND_ROBIN'];
const TOTAL = 7;

describe.skipIf(whyNot()).each(RELEASES)('the split of a job beside ElasticJob %s', (release) => {
  const stage = useInterop(release);

  it.each(ORDERS)(
    'is what Java computes, for every strategy and with a first instance of $first',
    async ({ first, second }) => {
      const { journal } = stage();
      const [leader, other] = await stage().pair({ first, second });
      const third = await stage().peer(first);
      const peers = [leader, other, third];
      const jobs = STRATEGIES.map((type) =>
        jobSpec({ jobName: `by-${type}`, jobShardingStrategyType: type, shardingTotalCount: TOTAL }),
      );
      const witnesses = await Promise.all(jobs.map(({ jobName }) => stage().witness(jobName)));

      for (const peer of peers) for (const job of jobs) await peer.start(job);

      for (const [index, { jobName, jobShardingStrategyType: type = '' }] of jobs.entries()) {
        const witness = witnesses[index]!;
        await journal.until(`all share ${jobName}`, () => witness.isSharedBy(peers, TOTAL));
        const instances = witness
          .children('instances')
          .map((id) => ({ jobInstanceId: id, serverIp: id.split('@-@')[0]! }));
        const split = createShardingStrategy(type).shard(instances, jobName, TOTAL);
        for (const [{ serverIp }, items] of split) {
          for (const item of items) expect(witness.owners(TOTAL)[item], `${jobName}, item ${item}`).toBe(serverIp);
        }
        expect(witness.leader()).toBe(leader.ip);
      }
    },
  );
});
