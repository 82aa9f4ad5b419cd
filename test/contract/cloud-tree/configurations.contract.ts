import { describe, expect, it } from 'vitest';
import {
  CLOUD_PATHS,
  CloudAppDisabledError,
  CloudAppExistsError,
  CloudConfigurations,
  CloudJobDisabledError,
  CloudJobExistsError,
  UnknownCloudAppError,
  UnknownCloudJobError,
} from '../../../libs/elastic-job/src/cloud/index.js';
import { ConfigurationError } from '../../../libs/elastic-job/src/domain/index.js';
import type { RegistryAdapter } from '../registry/index.js';
import { CLOUD_JOB } from '@test/support/unit/cloud-job.js';
import { APP, clock, useCloudStage } from './stage.js';

export function describeConfigurations(adapter: RegistryAdapter): void {
  describe('applications and jobs', () => {
    const stage = useCloudStage(adapter);

    it('writes the texts of an application and its job to the registry', async () => {
      const { apps, jobs } = stage().configurations;
      await apps.add(APP);
      await jobs.add(CLOUD_JOB);

      expect(await stage().data('/config/app/shop')).toContain('appURL: registry/shop:1\n');
      expect(await stage().data('/config/job/settle')).toContain('cpuCount: 0.5\ncron: 0/5 * * * * ?\n');
      expect(await jobs.read('settle')).toMatchObject({
        name: 'settle',
        configuration: { ...CLOUD_JOB, misfire: false },
        problems: [],
        isDisabled: false,
      });
      expect(await jobs.read('other')).toBeUndefined();
    });

    it('finds no jobs and no applications in an empty namespace', async () => {
      const { apps, jobs } = stage().configurations;

      expect([await apps.readAll(), await jobs.readAll()]).toEqual([[], []]);
      expect(await jobs.remove('settle')).toBe(false);
      expect(await apps.remove('shop')).toBeUndefined();
    });

    it('names an unregistered application or an unknown one in the error', async () => {
      const { apps, jobs } = stage().configurations;

      await expect(jobs.add(CLOUD_JOB)).rejects.toThrow(UnknownCloudAppError);
      await expect(apps.update(APP)).rejects.toThrow(UnknownCloudAppError);
      await expect(apps.disable('shop')).rejects.toThrow(UnknownCloudAppError);
      await apps.add(APP);
      await expect(jobs.update(CLOUD_JOB)).rejects.toThrow(UnknownCloudJobError);
      await expect(jobs.enable('settle')).rejects.toThrow(UnknownCloudJobError);
      await jobs.add(CLOUD_JOB);
      await expect(jobs.update({ ...CLOUD_JOB, appName: 'other' })).rejects.toThrow(UnknownCloudAppError);
      await expect(jobs.update({ ...CLOUD_JOB, cpuCount: 0 })).rejects.toThrow(ConfigurationError);
    });

    it('registers names once, and tells one of two operators that they exist', async () => {
      const other = new CloudConfigurations(await stage().client(), clock);
      const { configurations } = stage();

      const added = await Promise.allSettled([configurations.apps.add(APP), other.apps.add(APP)]);
      const registered = await Promise.allSettled([configurations.jobs.add(CLOUD_JOB), other.jobs.add(CLOUD_JOB)]);

      expect(reasonsOf(added)).toEqual([expect.any(CloudAppExistsError)]);
      expect(reasonsOf(registered)).toEqual([expect.any(CloudJobExistsError)]);
    });

    it('refuses to register a disabled job, and keeps its state', async () => {
      const { apps, jobs } = stage().configurations;
      await apps.add(APP);
      await apps.disable('shop');
      await apps.disable('shop');
      await stage().write({ '/state/disable/job/rests': 'rests' });

      await expect(jobs.add(CLOUD_JOB)).rejects.toThrow(CloudAppDisabledError);
      await expect(jobs.add({ ...CLOUD_JOB, jobName: 'rests' })).rejects.toThrow(CloudJobDisabledError);
      expect(await stage().data('/state/disable/app/shop')).toBe('shop');
      await apps.enable('shop');
      await apps.enable('shop');
      await jobs.add(CLOUD_JOB);
      await jobs.disable('settle');
      expect(await jobs.read('settle')).toMatchObject({ isDisabled: true });
      await jobs.update({ ...CLOUD_JOB, misfire: true });
      expect(await jobs.readAll()).toEqual([
        expect.objectContaining({ isDisabled: true, configuration: expect.objectContaining({ misfire: true }) }),
      ]);
    });

    it('removes the jobs of an application with it, and no others', async () => {
      const { apps, jobs } = stage().configurations;
      await apps.add(APP);
      await apps.add({ ...APP, appName: 'other' });
      await jobs.add(CLOUD_JOB);
      await jobs.add({ ...CLOUD_JOB, jobName: 'stays', appName: 'other' });
      await jobs.disable('settle');

      expect(await apps.remove('shop')).toEqual(['settle']);

      expect((await jobs.readAll()).map(({ name }) => name)).toEqual(['stays']);
      expect((await apps.readAll()).map(({ name }) => name)).toEqual(['other']);
      expect(await stage().registry.children(CLOUD_PATHS.disabledJobs)).toEqual([]);
    });

    it('leaves no job without its application if both are registered and removed at once', async () => {
      const { apps, jobs } = stage().configurations;
      const other = new CloudConfigurations(await stage().client(), clock);
      await apps.add(APP);
      const names = Array.from({ length: 20 }, (_, index) => `job-${index}`);

      const adding = Promise.allSettled(names.map((jobName) => other.jobs.add({ ...CLOUD_JOB, jobName })));
      await apps.remove('shop');
      await adding;

      expect(await jobs.readAll()).toEqual([]);
    });

    it('lists a job whose text cannot be used with its faults, beside the others', async () => {
      const { apps, jobs } = stage().configurations;
      await apps.add(APP);
      await jobs.add(CLOUD_JOB);
      await stage().write({ '/config/job/broken': 'appName: [', '/config/job/empty': '' });

      expect(await jobs.readAll()).toEqual([
        { name: 'broken', configuration: undefined, problems: ['line 1: "]" is missing'], isDisabled: false },
        { name: 'empty', configuration: undefined, problems: ['line 1: it is not a YAML mapping'], isDisabled: false },
        expect.objectContaining({ name: 'settle', problems: [] }),
      ]);
    });

    it('gives ten schedulers the same id, and later ones too', async () => {
      const clients = await Promise.all(Array.from({ length: 10 }, () => stage().client()));

      const ids = await Promise.all(clients.map((client) => new CloudConfigurations(client, clock).frameworkId()));

      expect(new Set(ids).size).toBe(1);
      expect(await stage().configurations.frameworkId()).toBe(ids[0]);
      expect(ids[0]).toMatch(/^[\da-f]{8}-[\da-f]{4}-4/);
    });

    it('keeps an id that Mesos has given, and replaces an empty one', async () => {
      await stage().write({ '/ha/framework_id': 'd3f0b0c3-0000' });
      expect(await stage().configurations.frameworkId()).toBe('d3f0b0c3-0000');

      await stage().write({ '/ha/framework_id': '' });
      const id = await stage().configurations.frameworkId();
      expect(await stage().data('/ha/framework_id')).toBe(id);
      expect(id).not.toBe('');
    });
  });
}

function reasonsOf(results: readonly PromiseSettledResult<void>[]): readonly unknown[] {
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
}
