import { describe, expect, it, onTestFinished } from 'vitest';
import { CloudConfigurations, type CloudJobChange } from '../../../libs/elastic-job/src/cloud/index.js';
import type { RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import type { RegistryAdapter } from '../registry/index.js';
import { CLOUD_JOB } from '@test/support/unit/cloud-job.js';
import { APP, clock, type CloudStage, useCloudStage } from './stage.js';

export function describeFeed(adapter: RegistryAdapter): void {
  describe('the feed of jobs', () => {
    const stage = useCloudStage(adapter);

    it('reports each change, disabling and removal of a job, and nothing else', async () => {
      const { configurations } = stage();
      await configurations.apps.add(APP);
      await configurations.jobs.add(CLOUD_JOB);
      const next = await watch(stage());

      expect(await next()).toMatchObject({
        kind: 'appeared',
        job: { jobName: 'settle', faults: [], isDisabled: false },
      });
      await configurations.jobs.update({ ...CLOUD_JOB, shardingTotalCount: 4 });
      expect(await next()).toMatchObject({ kind: 'changed', job: { configuration: { shardingTotalCount: 4 } } });
      await configurations.apps.update({ ...APP, appURL: 'registry/shop:2' });
      expect(await next()).toMatchObject({ kind: 'changed', job: { app: { appURL: 'registry/shop:2' } } });
      await configurations.jobs.disable('settle');
      expect(await next()).toMatchObject({ kind: 'changed', job: { isDisabled: true } });
      await configurations.jobs.enable('settle');
      expect(await next()).toMatchObject({ kind: 'changed', job: { isDisabled: false } });
      await configurations.apps.disable('shop');
      expect(await next()).toMatchObject({ kind: 'changed', job: { isDisabled: true } });
      await configurations.jobs.remove('settle');
      expect(await next()).toEqual({ kind: 'vanished', jobName: 'settle' });
    });

    it('reports the faults of texts that cannot be used, until they can', async () => {
      const next = await watch(stage());
      await stage().write({ '/config/job/settle': 'appName: shop\ncpuCount: many\n' });

      expect(await next()).toMatchObject({
        job: {
          configuration: undefined,
          faults: ['line 2: cpuCount must be a number, but is "many"', 'its application "shop" is not registered'],
        },
      });
      await stage().configurations.apps.add(APP);
      expect(await next()).toMatchObject({ kind: 'changed', job: { faults: [expect.stringContaining('cpuCount')] } });
      await stage().configurations.jobs.update(CLOUD_JOB);
      expect(await next()).toMatchObject({ kind: 'changed', job: { configuration: CLOUD_JOB, faults: [] } });
    });

    it('goes on in the next session with what changed meanwhile', async () => {
      const { configurations } = stage();
      await configurations.apps.add(APP);
      await configurations.jobs.add(CLOUD_JOB);
      const client = await stage().client();
      const next = await watch(stage(), client);
      await next();

      await stage().expire(client);
      await configurations.jobs.add({ ...CLOUD_JOB, jobName: 'later' });
      await configurations.jobs.remove('settle');

      expect([await next(), await next()]).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ kind: 'appeared' }),
          { kind: 'vanished', jobName: 'settle' },
        ]),
      );
    });

    it('ends with the reason of its signal while it waits', async () => {
      const ending = new AbortController();
      const feed = stage().configurations.watch(ending.signal)[Symbol.asyncIterator]();
      const waiting = feed.next();

      ending.abort(new Error('enough'));

      await expect(waiting).rejects.toThrow('enough');
    });
  });
}

/** @returns a function that resolves to the next change */
async function watch(stage: CloudStage, client?: RegistryCenter): Promise<() => Promise<CloudJobChange>> {
  const ending = new AbortController();
  const registry = client ?? (await stage.client());
  const feed = new CloudConfigurations(registry, clock).watch(ending.signal)[Symbol.asyncIterator]();
  onTestFinished(() => ending.abort());
  return async () => {
    const { value, done } = await feed.next();
    if (done === true) throw new Error('The feed has ended.');
    return value;
  };
}
