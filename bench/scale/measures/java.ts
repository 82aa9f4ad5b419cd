import { setTimeout as delay } from 'node:timers/promises';
import { readFile } from 'node:fs/promises';
import { jobSpec } from '../../../test/interop/support/job-spec.js';
import { javaPeerClassPath, RELEASES, whyNoJava } from '@test/support/peers/java-build.js';
import { PeerProcess } from '@test/support/peers/peer-process.js';
import type { Figures, Measurement } from './measurement.js';

const WARM_UP_MS = 5_000;
const SESSION_TIMEOUT_MS = 10_000;
const START_LIMIT_MS = 60_000;
const JVM_FLAGS = ['-Xmx512m', '-Dorg.slf4j.simpleLogger.defaultLogLevel=error'];

/** Java's ElasticJob with a number of jobs that are due each second, in one process over the same server. */
export function javaJobs(jobs: number): Measurement {
  return async (stage): Promise<Figures> => {
    const [release = ''] = RELEASES;
    const classPath = await classPathOrReason(release);
    if (classPath.reason !== undefined) {
      console.error(`Java's rows are skipped: ${classPath.reason}`);
      return {};
    }
    const given = [stage.servers, stage.newNamespace(), String(SESSION_TIMEOUT_MS), '10.0.0.1'];
    let begun = 0;
    const command = ['java', ...JVM_FLAGS, '-cp', classPath.found, 'peer.Main', ...given];
    const peer = new PeerProcess('java', command, ({ event }) => (begun += event === 'begun' ? 1 : 0));
    try {
      await peer.untilReady();
      for (let n = 0; n < jobs; n += 1) {
        // Java runs all items once more if a trigger is a millisecond late, and these runs are not due.
        const config = jobSpec({ jobName: `job-${n}`, shardingTotalCount: 1, failover: true, misfire: false });
        await peer.call('start', { config }, START_LIMIT_MS);
      }
      await delay(WARM_UP_MS);
      const before = begun;
      await delay(stage.seconds * 1_000);
      return { donePercent: (100 * (begun - before)) / (stage.seconds * jobs), threads: await threadsOf(peer.pid) };
    } finally {
      await peer.call('leave').catch(() => {});
      await peer.kill();
    }
  };
}

type ClassPath =
  { readonly reason: string; readonly found?: undefined } | { readonly reason?: undefined; readonly found: string };

async function classPathOrReason(release: string): Promise<ClassPath> {
  const reason = await whyNoJava();
  if (reason !== undefined) return { reason: `the bench ${reason}.` };
  try {
    return { found: await javaPeerClassPath(release) };
  } catch (error) {
    return { reason: `ElasticJob ${release} cannot be built here: ${String(error).split('\n')[0]}` };
  }
}

/** NaN if the system does not report it. */
async function threadsOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^Threads:\s+(\d+)$/m.exec(status)?.[1]);
}
