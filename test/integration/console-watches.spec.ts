import { describe, expect, it, onTestFinished } from 'vitest';
import { plant } from '@test/support/unit/console-jobs.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';
import { watchedPaths } from '@test/support/zookeeper/watched-paths.js';
import { SystemClock, waitFor } from '../../libs/elastic-job/src/clock/index.js';
import { JobIndex } from '../../libs/elastic-job/src/console/index.js';
import { ZooKeeperRegistryCenter } from '../../libs/elastic-job/src/registry/index.js';

const zooKeeper = await sharedZooKeeper();
const JOBS = ['bill', 'mail', 'settle'];

describe('watches that a console has at a real ZooKeeper', () => {
  it('are one for the namespace and one for each open job, and none after its end', async () => {
    const clock = new SystemClock();
    const namespace = `console-${clock.uuid()}`;
    const registry = new ZooKeeperRegistryCenter({ servers: zooKeeper, namespace }, clock);
    await registry.connect();
    onTestFinished(() => registry.close());
    for (const job of JOBS) await plant(registry, job);
    const parts = { registry, clock, redact: (text: string) => text, namespace, isShared: false };
    const index = new JobIndex(parts);
    const all = waitFor((goOn) => index.onChange(() => index.state({}).indexed === JOBS.length && goOn()));
    index.start();
    await all;
    const open = JOBS.map((job) => index.open(job));
    await Promise.all(open.map((job) => job.job()));
    const watched = [`/${namespace}`, ...JOBS.map((job) => `/${namespace}/${job}`)];
    expect((await watchedPaths(zooKeeper, namespace)).toSorted()).toEqual(watched);

    // One job is still open.
    for (const job of open.slice(1)) job.close();
    await index.stop();

    // The server answers in order, so it has removed the watches before.
    await registry.children('/');
    expect(await watchedPaths(zooKeeper, namespace)).toEqual([]);
  });
});
