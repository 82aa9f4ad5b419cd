import { afterEach, describe, expect, it } from 'vitest';
import type { TestJobOptions } from '../../libs/elastic-job/src/testing/index.js';
import { child, DependentJobs, parent } from './support/dependent-jobs.js';
import { JavaPeer } from './support/java-peer.js';

let jobs: DependentJobs;
afterEach(() => jobs.stop());

describe('a dependency that cannot work', () => {
  it('begins nothing while a Java peer is in the parent, and names the child as the reason', async () => {
    jobs = await DependentJobs.start([parent({ clockChange: 'quartz' }), child()]);

    await jobs.cluster.clock.advanceUntil(javaPeerOf('import').registered);
    await jobs.untilNextMinute(5_000);

    expect(jobs.runs('import')).toEqual([]);
    expect(jobs.cluster.events(0)).toContainEqual(
      expect.objectContaining({
        kind: 'mixed',
        jobName: 'import',
        unshareable: [expect.stringContaining('job "report" starts after this one')],
      }),
    );
  });

  it.each<[string, readonly TestJobOptions[], RegExp]>([
    [
      'jobs that wait for each other',
      [child(), child({ name: 'import', after: 'report' })],
      /a circle, "(report|import)" after "(report|import)" after "(report|import)"/,
    ],
    [
      'parents of two schedules',
      [parent(), parent({ name: 'export', cron: '30 * * * * ?' }), child({ after: ['import', 'export'] })],
      /after "import", "export": their runs have no fire times in common/,
    ],
    [
      'an unmonitored parent',
      [parent({ monitorExecution: false, failover: false }), child()],
      /monitorExecution: false/,
    ],
  ])('refuses to start with %s, and says why', async (_, given, message) => {
    jobs = await DependentJobs.start(given, 0);

    await expect(jobs.cluster.join()).rejects.toThrow(message);
  });
});

function javaPeerOf(jobName: string): JavaPeer {
  const { cron, shardingTotalCount } = parent();
  const switches = { failover: true, misfire: true, monitorExecution: true, reconcileIntervalMinutes: 10 };
  const config = { cron, shardingTotalCount, ...switches };
  return JavaPeer.launch(jobs.cluster, { jobName, serverIp: '10.0.0.9', config });
}
