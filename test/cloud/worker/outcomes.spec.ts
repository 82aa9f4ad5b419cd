import { describe, expect, it } from 'vitest';
import { runToEnd, StartedTask } from './support/started-task.js';

const GRANTED_MS = 20_000;
const settling = (work: string, more: object = {}) => ({ envelope: { props: { do: work }, ...more } });
const failedBy = (name: string, message: unknown) => ({
  v: 1,
  outcome: 'failed',
  ms: expect.any(Number),
  error: { name, message, stack: expect.any(String) },
});

describe('a task whose handler ends', () => {
  it('given one that returns, when the task runs, then it has succeeded with the context of its envelope', async () => {
    const task = await runToEnd(settling('tell', { trigger: { id: 'x', parameters: 'p' } }));

    expect(task).toMatchObject({ code: 0, report: { v: 1, outcome: 'succeeded', ms: expect.any(Number) } });
    expect(task.told).toEqual([
      { before: 'settle', taskId: 'settle@-@1@-@READY@-@10.0.0.1@-@1-s1', items: [[1, 'Shanghai']] },
      {
        jobName: 'settle',
        taskId: 'settle@-@1@-@READY@-@10.0.0.1@-@1-s1',
        jobParameter: 'all',
        shardingTotalCount: 3,
        shardingItem: 1,
        shardingParameter: 'Shanghai',
        source: 'NORMAL_TRIGGER',
        trigger: { id: 'x', parameters: 'p' },
        attempt: 1,
        tokenEpoch: 2,
        token: '7',
        fireTime: 1_700_000_000_000,
        props: { do: 'tell' },
        aborted: false,
        moving: false,
      },
      { after: 'settle' },
      'destroyed',
      { resolved: 'succeeded' },
    ]);
  });

  it('given one that throws, when the task runs, then it is tried as often as declared and has failed, redacted', async () => {
    const { code, report, told, words } = await runToEnd(settling('throw'));

    expect({ code, report }).toEqual({ code: 79, report: failedBy('RangeError', 'no such order, (secret)') });
    expect(told).toContainEqual({ resolved: 'failed' });
    expect(words).toMatch(/item 1 .*attempt 2/);
  });

  it('given retries in the envelope, when the task runs, then they go before those that are declared', async () => {
    const retries = { maxAttempts: 4, retryDelayMs: 1, retryFactor: 1, retryMaxDelayMs: 1, retryJitter: 0 };

    const { code, told } = await runToEnd(settling('retry', { retries, attempt: 2 }));
    expect({ code, told }).toMatchObject({
      code: 0,
      told: [expect.anything(), { attempt: 2 }, { attempt: 3 }, {}, {}, {}],
    });
  });

  it('given an executor of its own that has died, when the task runs, then its process is a crash', async () => {
    const { code, report } = await runToEnd(settling('die', { attempt: 2 }));

    expect({ code, report }).toMatchObject({
      code: 1,
      report: { outcome: 'failed', error: { name: 'ExecutorDeathError' } },
    });
  });

  it('given a timer that it has forgotten, when the task has ended, then the process ends all the same', async () => {
    expect(await runToEnd(settling('leave'))).toMatchObject({ code: 0, report: { outcome: 'succeeded' } });
  });
});

describe('a task that crashes', () => {
  it.each([
    ['reject', 'nobody hears'],
    ['raise', 'nobody catches'],
  ])(
    'given a handler that lets an error go (%s), when the task runs, then it is a crash at once',
    async (work, message) => {
      const { code, report, told } = await runToEnd(settling(work));

      expect({ code, report }).toEqual({ code: 1, report: failedBy('RangeError', message) });
      expect(told).not.toContain('destroyed');
    },
  );

  it.each([
    [0, 1],
    [79, 1],
    [3, 3],
  ])('given a handler that exits with %i, when the task runs, then it is a crash with %i', async (given, code) => {
    const task = await runToEnd(settling('exit', { jobParameter: String(given) }));

    expect(task).toMatchObject({
      code,
      report: failedBy('TaskLeftError', expect.stringContaining(`exit code ${given}`)),
    });
  });

  it.each([undefined, GRANTED_MS])(
    'given a handler that waits for nothing, when the task runs (channel: %s), then it is a crash and no success',
    async (heldForMs) => {
      const task = await runToEnd({ ...settling('wait for nothing'), heldForMs });

      expect(task).toMatchObject({ report: { outcome: 'failed', error: { name: 'TaskLeftError' } } });
      expect(task.code).not.toBe(0);
    },
  );
});

describe('a task that is told to end', () => {
  it('given SIGTERM, when the handler heeds its signal, then the task is aborted and the application closed', async () => {
    const task = new StartedTask(settling('wait'));
    await task.says('waiting');

    task.kill('SIGTERM');
    const { code, report, told } = await task.ended;
    expect({ code, report }).toMatchObject({
      code: 143,
      report: { outcome: 'aborted', error: { name: 'TaskTerminatedError' } },
    });
    expect(told.slice(2)).toEqual([
      { name: 'TaskTerminatedError', message: 'Item 1 of job "settle": its task was told to end (SIGTERM).' },
      'LeaseLostError',
      { after: 'settle' },
      'destroyed',
      { resolved: 'aborted' },
    ]);
  });

  it('given SIGTERM, when the handler does not heed it, then the task tells so before its grace is over', async () => {
    const task = new StartedTask(settling('ignore', { graceMs: 3_000 }));
    await task.says('waiting');
    const since = performance.now();

    task.kill('SIGTERM');
    const { code, report } = await task.ended;
    expect({ code, report }).toMatchObject({
      code: 143,
      report: { outcome: 'aborted', error: { name: 'HandlerHungError' } },
    });
    expect(performance.now() - since).toBeLessThan(3_000);
  });

  it('given SIGTERM while the application boots, when it comes, then the task is aborted and nothing was run', async () => {
    const task = new StartedTask({ ...settling('tell'), env: { BOOT: 'hangs' } });
    await task.says('booting');

    task.kill('SIGTERM');
    expect(await task.ended).toMatchObject({ code: 143, report: { outcome: 'aborted', ms: 0 }, told: ['booting', {}] });
  });

  it('given a time limit, when it is over, then the run has failed by it', async () => {
    const { code, report, told } = await runToEnd(settling('wait', { timeoutMs: 15_000 }));

    expect({ code, report }).toEqual({
      code: 79,
      report: failedBy('JobTimeoutError', 'Item 1 of job "settle" ran longer than 15000 ms.'),
    });
    expect(told).toContainEqual(expect.objectContaining({ name: 'JobTimeoutError' }));
  });

  it('given a busy handler and a time limit, when it is over, then assertHeld says so', async () => {
    const { code, told } = await runToEnd(settling('stay busy', { timeoutMs: 15_000 }));

    expect({ code, told }).toMatchObject({
      code: 79,
      told: [{}, 'waiting', { lost: 'LeaseLostError' }, {}, 'destroyed', {}],
    });
  });
});

describe('a task that cannot be', () => {
  const errorOf = (name: string, message: unknown) => ({ outcome: 'error', ms: 0, error: { name, message } });

  it('given a job that the image does not know, when the task runs, then the error names those that it knows', async () => {
    const { code, report, told } = await runToEnd({ envelope: { jobName: 'setle' } });

    expect({ code, report }).toMatchObject({
      code: 78,
      report: errorOf(
        'UnknownTaskJobError',
        expect.stringMatching(/^This application has no job "setle"; known are .*settle.* Did you mean "settle"\?/),
      ),
    });
    expect(told).toEqual(['destroyed', { resolved: 'error' }]);
  });

  it('given an envelope that is faulty, when the task runs, then the error names the field', async () => {
    const task = await runToEnd({ envelope: { token: 'seven' } });

    expect(task).toMatchObject({
      code: 78,
      report: errorOf('TaskEnvelopeError', expect.stringContaining('token must be at most 19 decimal digits')),
      told: [{ resolved: 'error' }],
    });
  });

  it('given an envelope of a later version, when the task runs, then the error says so where it is asked to', async () => {
    const task = new StartedTask({ text: '{"v":2,"channel":3}', heldForMs: GRANTED_MS });

    expect(await task.ended).toMatchObject({
      code: 78,
      report: errorOf('NewerTaskEnvelopeError', expect.stringContaining('of version 2')),
    });
  });

  it('given a channel that is not there, when the task runs, then it is not run', async () => {
    const { code, told, words } = await runToEnd({ envelope: { channel: 77 } });

    expect({ code, told }).toEqual({ code: 78, told: [{ resolved: 'error' }] });
    expect(words).toMatch(/the task has ended, error/);
  });

  it('given props that the work refuses, when the task runs, then nothing was run', async () => {
    const task = await runToEnd({ envelope: { jobName: 'greet' } });

    expect(task).toMatchObject({
      code: 78,
      report: errorOf('ConfigurationError', expect.stringContaining('name must be given')),
    });
  });

  it.each([
    ['throws', 'RangeError', 'no database'],
    ['rejects', 'RangeError', 'nobody hears'],
    ['hangs', 'TaskBootTimeoutError', expect.stringContaining('within 4000 ms')],
  ])('given an application whose boot %s, when the task runs, then it cannot be', async (boot, name, message) => {
    const task = await runToEnd({ env: { BOOT: boot, BOOT_TIMEOUT_MS: boot === 'hangs' ? '4000' : '60000' } });

    expect(task).toMatchObject({ code: 78, report: errorOf(name, message) });
  });
});

describe('a task whose application does not close', () => {
  it('given a shutdown hook that throws, when the run has succeeded, then it has', async () => {
    const { code, report, words } = await runToEnd({ env: { CLOSE: 'throws' } });

    expect({ code, report }).toMatchObject({ code: 0, report: { outcome: 'succeeded' } });
    expect(words).toMatch(/RangeError: cannot close/);
  });

  it('given one that hangs, when the run has succeeded, then the process ends after the limit', async () => {
    const { code, report, words } = await runToEnd({ env: { CLOSE: 'hangs' } });

    expect({ code, report }).toMatchObject({ code: 0, report: { outcome: 'succeeded' } });
    expect(words).toMatch(/has not closed within 5000 ms/);
  });
});
