import { afterEach, describe, expect, it } from 'vitest';
import { eventLine } from '../../libs/elastic-job/src/nest/event-lines.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { THROWN_TRAPS } from '@test/support/unit/thrown-traps.js';

let cluster: TestCluster;
afterEach(async () => {
  await cluster.stop();
});

describe.each([...THROWN_TRAPS])('%s, as the value that a handler throws,', (_what, trapped) => {
  it('ends the item as failed, which the log and the next run show', async () => {
    cluster = await createTestCluster({
      instances: 1,
      jobs: [
        {
          name: 'trapped',
          cron: '0/10 * * * * ?',
          shardingTotalCount: 1,
          handler: () => Promise.reject(trapped()),
        },
      ],
    });

    await cluster.advance(35_000);

    const events = cluster.events(0);
    expect(cluster.runs('trapped').length).toBeGreaterThanOrEqual(3);
    const settled = events.flatMap((event) => (event.kind === 'settled' ? event.outcome.kind : []));
    expect(settled).toEqual(cluster.runs('trapped').map(() => 'failed'));
    const lines = events.filter(({ kind }) => kind === 'error').map((event) => eventLine(event));
    expect(lines.map(({ text }) => text)).toEqual(
      settled.map(() => expect.stringMatching(/^trapped: item 0 failed: ./)),
    );
  });
});
