import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HELD } from '../contract/tasks/harness.js';
import { endOf } from '../contract/tasks/support.js';
import { bundleTaskSupervisor } from '@test/support/bundle/bundle.js';
import { ENVELOPE } from '@test/support/unit/envelope.js';
import { LocalStage } from './support/local-stage.js';

const TYPESCRIPT = new URL('../support/faults/register-typescript.mjs', import.meta.url).href;
const APPLICATION = fileURLToPath(new URL('./worker/support/application.fixture.ts', import.meta.url));
const COMMAND = [process.execPath, '--import', TYPESCRIPT, APPLICATION];

let supervisor: Awaited<ReturnType<typeof bundleTaskSupervisor>>;
beforeAll(async () => {
  supervisor = await bundleTaskSupervisor();
});
afterAll(() => supervisor.remove());
const stage = new LocalStage(() => ({ supervisorUrl: supervisor.url }));

it('finishes the run of a handler that blocks for longer than the lease while it is renewed', async () => {
  const saved: unknown[] = [];
  const handle = await stage.run(
    COMMAND,
    {
      envelope: (answers) =>
        JSON.stringify({
          ...ENVELOPE,
          ...answers,
          props: { do: 'block' },
          jobParameter: '5000',
        }),
    },
    {
      ...HELD,
      heldForMs: () => 2_500,
      saveCheckpoint: (value) => Promise.resolve(void saved.push(value)),
    },
  );

  expect(await endOf(stage.backend, handle)).toMatchObject({ name: 'FINISHED', report: { outcome: 'succeeded' } });
  expect(saved).toEqual([{ row: 8 }]);
});
