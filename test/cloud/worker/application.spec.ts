import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runToEnd } from './support/started-task.js';

/** Counts the connections to the address of the application's registry. */
async function registry() {
  const seen = { connections: 0, servers: '' };
  const server = createServer((socket) => {
    seen.connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  seen.servers = typeof address === 'object' ? `127.0.0.1:${address?.port}` : '';
  return seen;
}

describe('the work of a task', () => {
  it('takes the turns of a dataflow until nothing is left', async () => {
    const task = await runToEnd({ envelope: { jobName: 'flow', props: { 'streaming.process': 'true' } } });

    expect(task).toMatchObject({
      code: 0,
      told: [{ before: 'flow' }, { processed: [1, 2] }, { processed: [1, 1] }, { after: 'flow' }, 'destroyed', {}],
    });
  });

  it('continues the trace of a traced run, unless its context is unreadable', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
    const props = { do: 'trace' };

    expect((await runToEnd({ envelope: { props, traceparent } })).told).toContainEqual({ traceId });
    const nothing = `00-${'0'.repeat(32)}-b7ad6b7169203331-01`;
    expect((await runToEnd({ envelope: { props, traceparent: nothing } })).told).toContainEqual({});
  });

  it('gets the props of a job type from the envelope', async () => {
    const task = await runToEnd({ envelope: { jobName: 'greet', props: { name: 'Ada' } } });

    expect(task).toMatchObject({ code: 0 });
    expect(task.told[1]).toEqual({ greeted: 'Ada', jobName: 'greet' });
  });

  it('is done by the template of a job that was created from one', async () => {
    const task = await runToEnd({
      envelope: { jobName: 'orders-berlin', template: 'orders', props: { city: 'Berlin' } },
    });

    expect(task).toMatchObject({ code: 0 });
    expect(task.told[1]).toEqual({ created: 'orders-berlin', props: { city: 'Berlin' } });
  });

  it('finds a job that the application adds as it starts', async () => {
    expect((await runToEnd({ envelope: { jobName: 'added' } })).told[1]).toBe('added ran');
  });

  it('takes the context as the request of a request-scoped provider', async () => {
    expect((await runToEnd({ envelope: { jobName: 'scoped' } })).told[1]).toEqual({ scoped: true, item: 1 });
  });

  it('runs guard, interceptor and filter as any instance does', async () => {
    const { code, told } = await runToEnd({ envelope: { jobName: 'enhanced' } });

    expect(code).toBe(0);
    expect(told.slice(1, 3)).toEqual([
      ['guard elastic-job', 'interceptor'],
      { filtered: 'for the filter', type: 'elastic-job' },
    ]);
  });

  it('fails if a guard refuses', async () => {
    const task = await runToEnd({ envelope: { jobName: 'enhanced', props: { deny: 'x' } } });

    expect(task).toMatchObject({ code: 79, report: { error: { name: 'ForbiddenException' } } });
  });
});

describe('the application of a task', () => {
  it('refuses calls of services that need the registry, and opens no connection', async () => {
    const seen = await registry();
    const { code, told } = await runToEnd({ envelope: { jobName: 'services' }, env: { SERVERS: seen.servers } });

    expect({ code, connections: seen.connections }).toEqual({ code: 0, connections: 0 });
    expect(Object.assign({}, ...told.slice(1, -3))).toEqual({
      isLeader: 'MissingRegistryError',
      terms: 'MissingRegistryError',
      assignments: 'MissingRegistryError',
      pending: 'MissingRegistryError',
      running: 'MissingRegistryError',
      current: 'MissingRegistryError',
      declared: 'settle',
      jobs: true,
      change: 'MissingRegistryError',
      trigger: 'MissingRegistryError',
      guard: 'MissingRegistryError',
      read: 'MissingRegistryError',
    });
  });

  it('runs no timer of @nestjs/schedule', async () => {
    const { told } = await runToEnd({
      envelope: { props: { do: 'wait' }, timeoutMs: 15_000 },
      env: { OWN_TIMERS: 'yes' },
    });

    // Timers that the application starts in a hook run until all hooks have been called.
    const lines = told.filter((line) => typeof line === 'string');
    expect(lines.slice(lines.indexOf('waiting'))).toEqual(['waiting', 'LeaseLostError', 'destroyed']);
    expect(lines).not.toContain('a timeout has run');
  });

  it('refuses a main that starts a scheduler, and names the remedy', async () => {
    const { code, words } = await runToEnd({ env: { RUN_TASK: 'never' } });

    expect(code).toBe(1);
    expect(words).toMatch(
      /ELASTIC_JOB_TASK is set, so this process is a task.*if \(isElasticJobTask\(\)\) await runTask/s,
    );
  });

  it('names the remedy if runTask is called without a task', async () => {
    const { code, words } = await runToEnd({ env: { RUN_TASK: 'always', ELASTIC_JOB_TASK: undefined } });

    expect(code).toBe(1);
    expect(words).toMatch(/MissingTaskError.*ELASTIC_JOB_TASK is not set.*isElasticJobTask\(\)/s);
  });
});
