import { afterAll, beforeAll } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { LocalProcesses } from '../../libs/elastic-job/src/cloud/index.js';
import { bundleTaskSupervisor } from '@test/support/bundle/bundle.js';
import { HELD, orderOf } from './tasks/harness.js';
import { type Behaviour, describeTaskBackendContract, WRITTEN } from './tasks/index.js';
import { launched } from './tasks/support.js';

const OBEY = 'trap "exit 143" TERM; while :; do sleep 0.02; done';
const SCRIPTS: Readonly<Record<Behaviour, string>> = {
  succeeds: 'exit 0',
  fails: 'exit 79',
  crashes: 'exit 3',
  obeys: OBEY,
  ignores: 'trap "" TERM; while :; do sleep 0.02; done',
  writes: `i=1; while [ $i -le ${WRITTEN.lines} ]; do echo "${WRITTEN.line}$i"; i=$((i+1)); done; ${OBEY}`,
};

let supervisor: Awaited<ReturnType<typeof bundleTaskSupervisor>>;
beforeAll(async () => {
  supervisor = await bundleTaskSupervisor();
});
afterAll(() => supervisor.remove());

describeTaskBackendContract({
  name: 'processes',
  async start() {
    const backends: LocalProcesses[] = [];
    const start = async (maxTasks?: number): Promise<LocalProcesses> => {
      const backend = new LocalProcesses({ supervisorUrl: supervisor.url, maxTasks });
      await backend.start({ clock: new SystemClock(), cluster: 'contract', emit: () => {} });
      backends.push(backend);
      return backend;
    };
    const template = (behaviour: Behaviour) => ({ command: ['sh', '-c', SCRIPTS[behaviour]] });
    return {
      backend: () => start(),
      async crowded() {
        const backend = await start(1);
        const key = { cluster: 'contract', jobName: 'in-the-way', item: 0 };
        const first = launched(await backend.claim(orderOf(template('obeys'), { key })));
        await backend.open(first, HELD);
        return { backend, makeRoom: () => backend.cancel(first, 0) };
      },
      template,
      async stop() {
        await Promise.all(backends.map((backend) => backend.stop()));
      },
    };
  },
});
