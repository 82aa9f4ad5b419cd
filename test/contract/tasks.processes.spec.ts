import { afterAll, beforeAll } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { LocalProcesses } from '../../libs/elastic-job/src/cloud/index.js';
import { bundleTaskSupervisor } from '@test/support/bundle/bundle.js';
import { type Behaviour, describeTaskBackendContract, WRITTEN } from './tasks/index.js';

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
    return {
      async backend() {
        const backend = new LocalProcesses({ supervisorUrl: supervisor.url });
        await backend.start({ clock: new SystemClock(), cluster: 'contract', emit: () => {} });
        backends.push(backend);
        return backend;
      },
      template: (behaviour) => ({ command: ['sh', '-c', SCRIPTS[behaviour]] }),
      async stop() {
        await Promise.all(backends.map((backend) => backend.stop()));
      },
    };
  },
});
