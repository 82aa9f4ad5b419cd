import type { JobGroup } from '../child/instance-calls.js';
import type { Measurement } from './measurement.js';

const NEVER = '0 0 0 1 1 ? 2099';
const MIB = 2 ** 20;

/** Start and memory of resting jobs, in one process over ZooKeeper. */
export function rest(jobs: number): Measurement {
  return (stage) =>
    stage.with(1, async ([instance]) => {
      const begin = { servers: stage.servers, namespace: stage.newNamespace(), untilPlanned: true };
      const before = await instance!.call('memory');
      const startMs = await instance!.call('start', { ...begin, groups: [restingJobs(jobs)] });
      const after = await instance!.call('memory');
      return {
        startS: startMs / 1_000,
        heapOfJobKb: (after.heap - before.heap) / jobs / 1_000,
        rssMb: (after.rss - before.rss) / MIB,
      };
    });
}

/** Jobs that are added to a running process, one after the other. */
export function added(jobs: number): Measurement {
  return (stage) =>
    stage.with(1, async ([instance]) => {
      await instance!.call('start', { servers: stage.servers, namespace: stage.newNamespace(), groups: [] });
      return { addS: (await instance!.call('add', restingJobs(jobs))) / 1_000 };
    });
}

/** Jobs that are created for the whole cluster, joined by some instances, and removed. */
export function dynamic(jobs: number, instances: number): Measurement {
  return (stage) =>
    stage.with(instances + 1, async ([operator, ...members]) => {
      const { servers } = stage;
      const namespace = stage.newNamespace();
      const template = 'settle-orders';
      for (const [n, member] of [operator!, ...members].entries()) {
        await member.call('start', { servers, namespace, groups: [], ip: `10.0.0.${n + 1}` });
      }
      await Promise.all(members.map((member) => member.call('declare', template)));
      const begun = performance.now();
      await operator!.call('create', { template, count: jobs });
      const created = performance.now();
      await Promise.all(members.map((member) => member.call('untilJobs', jobs)));
      const joined = performance.now();
      await operator!.call('remove', { count: jobs });
      const removed = performance.now();
      return {
        createS: (created - begun) / 1_000,
        joinS: (joined - created) / 1_000,
        removeS: (removed - joined) / 1_000,
        allS: (removed - begun) / 1_000,
      };
    });
}

function restingJobs(count: number): JobGroup {
  return { prefix: 'job', count, items: 1, cron: NEVER };
}
