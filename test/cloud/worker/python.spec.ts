import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hostMonotonicNow } from '../../../libs/elastic-job/src/clock/index.js';
import { runToEnd, StartedTask } from './support/started-task.js';

const command = ['python3', fileURLToPath(new URL('../../../docs/cloud/worker.py', import.meta.url))];
const GRANTED_MS = 20_000;

describe('the worker in Python', () => {
  it('goes on from its checkpoint, saves each row and reports over a channel', async () => {
    const task = new StartedTask({
      command,
      heldForMs: GRANTED_MS,
      envelope: { props: { rows: '3' }, checkpoint: { row: 1 } },
    });

    expect(await task.ended).toMatchObject({
      code: 0,
      told: [
        { item: 1, row: 1 },
        { item: 1, row: 2 },
      ],
    });
    expect(task.statements).toEqual([
      { checkpoint: { row: 2 }, id: 1 },
      { checkpoint: { row: 3 }, id: 2 },
      { report: { v: 1, outcome: 'succeeded', ms: expect.any(Number) } },
    ]);
  });

  it('reports a failure in a file', async () => {
    expect(await runToEnd({ command, envelope: { props: { bad: '1' } } })).toMatchObject({
      code: 79,
      report: {
        outcome: 'failed',
        error: { name: 'ValueError', message: 'row 1 is bad', stack: expect.stringContaining('in work') },
      },
      told: [{ row: 0 }],
    });
  });

  it('ends between two steps on SIGTERM', async () => {
    const task = new StartedTask({ command, envelope: { props: { rows: '1000', seconds: '0.05' } } });
    await task.says({ item: 1, row: 0 });

    task.kill('SIGTERM');
    expect(await task.ended).toMatchObject({ code: 143, report: { outcome: 'aborted', error: { name: 'Aborted' } } });
  });

  it('stops when the scheduler falls silent', async () => {
    const envelope = { props: { rows: '1000', seconds: '0.05' } };
    const task = new StartedTask({ command, heldForMs: 2_000, envelope });
    await task.says({ item: 1, row: 0 });

    task.stopGranting();
    expect(await task.ended).toMatchObject({ code: 143, report: { outcome: 'lost', error: { name: 'Lost' } } });
  });

  it('counts a grant that comes late from when it was given', async () => {
    const envelope = { props: { rows: '1000', seconds: '0.05' } };
    const task = new StartedTask({ command, heldForMs: 2_000, envelope });
    await task.says({ item: 1, row: 0 });

    task.stopGranting();
    task.say({ heldForMs: 600_000, at: hostMonotonicNow() - 600_000 });
    expect(await task.ended).toMatchObject({ code: 143, report: { outcome: 'lost', error: { name: 'Lost' } } });
  });

  it('refuses a later version of the protocol', async () => {
    const { code, words } = await runToEnd({ command, text: '{"v":2}' });

    expect({ code, words }).toEqual({ code: 78, words: expect.stringContaining('of version 2') });
  });
});
