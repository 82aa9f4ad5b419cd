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
  it('succeeds with the context of its envelope if the handler returns', async () => {
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

  it('retries a handler that throws as declared, then fails with a redacted error', async () => {
    const { code, report, told, words } = await runToEnd(settling('throw'));

    expect({ code, report }).toEqual({ code: 79, report: failedBy('RangeError', 'no such order, (secret)') });
    expect(told).toContainEqual({ resolved: 'failed' });
    expect(words).toMatch(/item 1 .*attempt 2/);
  });

  it('prefers the retries of the envelope to the declared ones', async () => {
    const retries = { maxAttempts: 4, retryDelayMs: 1, retryFactor: 1, retryMaxDelayMs: 1, retryJitter: 0 };

    const { code, told } = await runToEnd(settling('retry', { retries, attempt: 2 }));
    expect({ code, told }).toMatchObject({
      code: 0,
      told: [expect.anything(), { attempt: 2 }, { attempt: 3 }, {}, {}, {}],
    });
  });

  it('crashes if its own executor has died', async () => {
    const { code, report } = await runToEnd(settling('die', { attempt: 2 }));

    expect({ code, report }).toMatchObject({
      code: 1,
      report: { outcome: 'failed', error: { name: 'ExecutorDeathError' } },
    });
  });

  it('ends its process although a timer was forgotten', async () => {
    expect(await runToEnd(settling('leave'))).toMatchObject({ code: 0, report: { outcome: 'succeeded' } });
  });
});

describe('a task that crashes', () => {
  it.each([
    ['reject', 'nobody hears'],
    ['raise', 'nobody catches'],
  ])('crashes at once if a handler leaves an error uncaught (%s)', async (work, message) => {
    const { code, report, told } = await runToEnd(settling(work));

    expect({ code, report }).toEqual({ code: 1, report: failedBy('RangeError', message) });
    expect(told).not.toContain('destroyed');
  });

  it.each([
    [0, 1],
    [79, 1],
    [256, 1],
    [335, 1],
    [3, 3],
    [259, 3],
  ])('crashes if its handler exits with %i, and then has exit code %i', async (given, code) => {
    const task = await runToEnd(settling('exit', { jobParameter: String(given) }));

    expect(task).toMatchObject({
      code,
      report: failedBy('TaskLeftError', expect.stringContaining(`exit code ${given}`)),
    });
  });

  it.each([undefined, GRANTED_MS])(
    'crashes and does not succeed if its handler waits for nothing (channel: %s)',
    async (heldForMs) => {
      const task = await runToEnd({ ...settling('wait for nothing'), heldForMs });

      expect(task).toMatchObject({ report: { outcome: 'failed', error: { name: 'TaskLeftError' } } });
      expect(task.code).not.toBe(0);
    },
  );
});

describe('a task that is told to end', () => {
  it('aborts the run and closes the application on SIGTERM if the handler heeds its signal', async () => {
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

  it('reports before its grace is over on SIGTERM if the handler ignores its signal', async () => {
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

  it('aborts and runs nothing if SIGTERM comes while the application boots', async () => {
    const task = new StartedTask({ ...settling('tell'), env: { BOOT: 'hangs' } });
    await task.says('booting');

    task.kill('SIGTERM');
    expect(await task.ended).toMatchObject({ code: 143, report: { outcome: 'aborted', ms: 0 }, told: ['booting', {}] });
  });

  it('fails the run when its time limit is over', async () => {
    const { code, report, told } = await runToEnd(settling('wait', { timeoutMs: 15_000 }));

    expect({ code, report }).toEqual({
      code: 79,
      report: failedBy('JobTimeoutError', 'Item 1 of job "settle" ran longer than 15000 ms.'),
    });
    expect(told).toContainEqual(expect.objectContaining({ name: 'JobTimeoutError' }));
  });

  it('tells a busy handler by assertHeld that its time limit is over', async () => {
    const { code, told } = await runToEnd(settling('stay busy', { timeoutMs: 15_000 }));

    expect({ code, told }).toMatchObject({
      code: 79,
      told: [{}, 'waiting', { lost: 'LeaseLostError' }, {}, 'destroyed', {}],
    });
  });
});

describe('a task that cannot be', () => {
  const errorOf = (name: string, message: unknown) => ({ outcome: 'error', ms: 0, error: { name, message } });

  it('names the known jobs in the error if the image does not know the job', async () => {
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

  it('names the field of a faulty envelope in the error', async () => {
    const task = await runToEnd({ envelope: { token: 'seven' } });

    expect(task).toMatchObject({
      code: 78,
      report: errorOf('TaskEnvelopeError', expect.stringContaining('token must be at most 19 decimal digits')),
      told: [{ resolved: 'error' }],
    });
  });

  it('refuses an envelope of a later version, and reports it over the channel that it names', async () => {
    const task = new StartedTask({ text: '{"v":2,"channel":3}', heldForMs: GRANTED_MS });

    expect(await task.ended).toMatchObject({
      code: 78,
      report: errorOf('NewerTaskEnvelopeError', expect.stringContaining('of version 2')),
    });
  });

  it('runs nothing if its channel is not there', async () => {
    const { code, told, words } = await runToEnd({ envelope: { channel: 77 } });

    expect({ code, told }).toEqual({ code: 78, told: [{ resolved: 'error' }] });
    expect(words).toMatch(/the task has ended, error/);
  });

  it('runs nothing if the work refuses its props', async () => {
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
  ])('runs nothing if the boot of its application %s', async (boot, name, message) => {
    const task = await runToEnd({ env: { BOOT: boot, BOOT_TIMEOUT_MS: boot === 'hangs' ? '4000' : '60000' } });

    expect(task).toMatchObject({ code: 78, report: errorOf(name, message) });
  });
});

describe('a task whose application does not close', () => {
  it('succeeds after a successful run although a shutdown hook throws', async () => {
    const { code, report, words } = await runToEnd({ env: { CLOSE: 'throws' } });

    expect({ code, report }).toMatchObject({ code: 0, report: { outcome: 'succeeded' } });
    expect(words).toMatch(/RangeError: cannot close/);
  });

  it('ends its process after the limit if a shutdown hook hangs', async () => {
    const { code, report, words } = await runToEnd({ env: { CLOSE: 'hangs' } });

    expect({ code, report }).toMatchObject({ code: 0, report: { outcome: 'succeeded' } });
    expect(words).toMatch(/has not closed within 5000 ms/);
  });
});
