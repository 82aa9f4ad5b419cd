import { describe, expect, it } from 'vitest';
import { hostMonotonicNow } from '../../../libs/elastic-job/src/clock/index.js';
import { runToEnd, StartedTask } from './support/started-task.js';

const GRANTED_MS = 20_000;
const settling = (work: string, more: object = {}) => ({ envelope: { props: { do: work }, ...more } });

describe('the channel of a task', () => {
  it('alone carries the report of a run', async () => {
    const task = new StartedTask({ ...settling('tell'), heldForMs: GRANTED_MS });

    expect((await task.ended).code).toBe(0);
    expect(task.statements).toEqual([{ report: { v: 1, outcome: 'succeeded', ms: expect.any(Number) } }]);
  });

  it('carries the report of a crash, too', async () => {
    const task = new StartedTask({ ...settling('raise'), heldForMs: GRANTED_MS });

    expect((await task.ended).code).toBe(1);
    expect(task.statements).toMatchObject([{ report: { outcome: 'failed', error: { message: 'nobody catches' } } }]);
  });

  it('answers each checkpoint before the next one', async () => {
    const task = new StartedTask({ ...settling('checkpoint', { checkpoint: { row: 7 } }), heldForMs: GRANTED_MS });

    const { code, told } = await task.ended;
    expect({ code, told: told.slice(1, 4) }).toEqual({
      code: 0,
      told: [{ loaded: { row: 7 } }, { saved: { row: 8 } }, { cleared: 'none' }],
    });
    expect(task.statements).toMatchObject([{ checkpoint: { row: 8 }, id: 1 }, { checkpoint: null, id: 2 }, {}]);
  });

  it('passes on the error of a scheduler that refuses a checkpoint', async () => {
    const task = new StartedTask({ ...settling('checkpoint'), heldForMs: GRANTED_MS });
    task.onCheckpoint = (id) => ({ refused: id, message: 'another run holds the item' });

    expect((await task.ended).told.slice(1, 3)).toEqual([
      {},
      { code: 'CHECKPOINT_REFUSED', message: expect.stringContaining('another run holds the item') },
    ]);
  });

  it('refuses to save a checkpoint if it is missing, but loads the one of the begin', async () => {
    const { told } = await runToEnd(settling('checkpoint', { checkpoint: { row: 7 } }));

    expect(told.slice(1, 3)).toEqual([
      { loaded: { row: 7 } },
      { code: 'MISSING_REGISTRY', message: expect.stringMatching(/^checkpoint\.save without a channel/) },
    ]);
  });

  it.each([
    ['says that the item is lost', (task: StartedTask) => task.say({ lost: 'session 7 is over' }), 'session 7 is over'],
    ['closes the channel', (task: StartedTask) => task.closeChannel(), 'the channel to the scheduler has closed'],
    [
      'says nonsense',
      (task: StartedTask) => task.sayText('[]'),
      'the scheduler has sent a line that is no JSON object',
    ],
  ])('aborts the signal of a waiting handler if the scheduler %s', async (_, end, cause) => {
    const task = new StartedTask({ ...settling('wait'), heldForMs: GRANTED_MS });
    await task.says('waiting');

    end(task);
    const { code, told } = await task.ended;
    expect({ code, told: told[2] }).toMatchObject({ code: 143, told: { name: 'LeaseLostError', cause } });
  });

  it('tells even a busy handler when the grant of a silent scheduler is over', async () => {
    const task = new StartedTask({ ...settling('stay busy'), heldForMs: 6_000 });
    await task.says('waiting');

    task.stopGranting();
    const { code, told } = await task.ended;
    expect({ code, told: told[2] }).toEqual({ code: 143, told: { lost: 'LeaseLostError', aborted: true } });
  });

  it('holds the run of a handler that blocks its event loop for longer than a grant, if more have come', async () => {
    const task = new StartedTask({ ...settling('block', { jobParameter: '4000' }), heldForMs: 2_000 });

    const { code, told, report } = await task.ended;
    expect({ code, report, told: told[2] }).toMatchObject({
      code: 0,
      report: { outcome: 'succeeded' },
      told: { saved: { row: 8 }, aborted: false },
    });
  });

  it('holds the run of a busy handler that asks for longer than a grant, if more have come', async () => {
    const { code } = await runToEnd({ ...settling('ask for a while', { jobParameter: '4000' }), heldForMs: 2_000 });

    expect(code).toBe(0);
  });

  it('holds the run of a handler that has blocked until old grants filled the channel, by the newest one', async () => {
    const task = new StartedTask({ ...settling('block', { jobParameter: '4000' }), heldForMs: 2_000 });
    await task.says('blocking');

    task.stopGranting();
    for (let grant = 0; grant < 10_000; grant += 1) task.say({ heldForMs: 1, at: hostMonotonicNow() });
    task.say({ heldForMs: GRANTED_MS, at: hostMonotonicNow() });
    expect((await task.ended).code).toBe(0);
  });

  it('tells a handler after it has blocked that its scheduler has fallen silent', async () => {
    const task = new StartedTask({ ...settling('block', { jobParameter: '4000' }), heldForMs: 2_000 });
    await task.says('blocking');

    task.stopGranting();
    const { code, told, report } = await task.ended;
    expect({ code, report, told: told[2] }).toMatchObject({
      code: 143,
      report: { outcome: 'lost', error: { name: 'LeaseLostError' } },
      told: { lost: 'LeaseLostError', aborted: true },
    });
  });

  it.each([
    ['says that the item is lost', (task: StartedTask) => task.say({ lost: 'session 7 is over' }), 'session 7 is over'],
    ['closes the channel', (task: StartedTask) => task.closeChannel(), 'the channel to the scheduler has closed'],
  ])('tells a handler after it has blocked if the scheduler %s meanwhile', async (_, end, cause) => {
    const task = new StartedTask({ ...settling('block', { jobParameter: '4000' }), heldForMs: 2_000 });
    await task.says('blocking');

    task.stopGranting();
    end(task);
    const { code, told } = await task.ended;
    expect({ code, told: told[2] }).toMatchObject({ code: 143, told: { lost: 'LeaseLostError', cause } });
  });

  it.each([
    ['goes on', true, { code: 0 }],
    ['is lost', false, { code: 143, report: { error: { name: 'LeaseLostError' } } }],
  ])('%s after its process stood still beyond a grant (others have come: %s)', async (_, isGranted, end) => {
    const task = new StartedTask({ ...settling('block', { jobParameter: '500' }), heldForMs: 4_000 });
    await task.says('blocking');

    task.kill('SIGSTOP');
    if (!isGranted) task.stopGranting();
    // Real time: a process that stands still reports nothing, and its grant ends by its own clock.
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    task.kill('SIGCONT');
    expect(await task.ended).toMatchObject(end);
  });
});
