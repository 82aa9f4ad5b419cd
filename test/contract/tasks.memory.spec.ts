import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { MemoryTaskCluster, type MemoryTaskRun, type MemoryTasks } from '../../libs/elastic-job/src/testing/index.js';
import { describeTaskBackendContract, type TaskHarness, WRITTEN } from './tasks/index.js';

const never = (signal?: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }));

const PROGRAMS: Readonly<Record<string, MemoryTaskRun>> = {
  succeeds: () => Promise.resolve(),
  fails: () => Promise.reject(new Error('no such order')),
  crashes: () => Promise.resolve({ name: 'FAILED', detail: 'exit code 3' }),
  obeys: ({ signal }) => never(signal),
  ignores: () => never(),
  writes: ({ signal, write }) => {
    for (let line = 1; line <= WRITTEN.lines; line += 1) write(`${WRITTEN.line}${line}\n`);
    return never(signal);
  },
};

describeTaskBackendContract({ name: 'memory, adopting', start: () => startHarness(true) });
describeTaskBackendContract({ name: 'memory, not adopting', start: () => startHarness(false) });

async function startHarness(adopts: boolean): Promise<TaskHarness> {
  const clock = new SystemClock();
  const cluster = new MemoryTaskCluster({
    clock,
    adopts,
    script: (context) => PROGRAMS[context.order.template.command![0]!]!(context),
  });
  const backends: MemoryTasks[] = [];
  const start = async (): Promise<MemoryTasks> => {
    const backend = cluster.backend();
    await backend.start({ clock, cluster: 'contract', emit: () => {} });
    backends.push(backend);
    return backend;
  };
  return {
    backend: start,
    async crowded() {
      cluster.noRoom();
      return { backend: await start(), makeRoom: async () => cluster.makeRoom() };
    },
    cutOff(key) {
      cluster.unreachable(key);
      return () => cluster.reachable(key);
    },
    template: (behaviour) => ({ command: [behaviour] }),
    async stop() {
      cluster.assertSound();
      await Promise.all(backends.map((backend) => backend.stop()));
    },
  };
}
