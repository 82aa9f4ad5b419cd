import { FakeConsole, HISTORY } from '@test/support/unit/console.js';
import { describe, expect, it, vi } from 'vitest';

describe('the runs of a job', () => {
  it('are missing without a history', async () => {
    const answer = await new FakeConsole().ask('viewer', 'GET', '/jobs/settle/executions');
    expect(answer).toMatchObject({ status: 409, json: { code: 'MISSING_RUN_HISTORY' } });
  });

  it('are those that the query asks for', async () => {
    const executions = vi.fn<(typeof HISTORY)['executions']>(HISTORY.executions);
    const console = new FakeConsole({ sinks: [{ ...HISTORY, executions }] });
    const ask = (query: string) => console.ask('viewer', 'GET', `/jobs/settle/executions?${query}`);

    expect((await ask('item=3&outcome=failed&source=FAILOVER&limit=10')).status).toBe(200);
    const wrong = ['source=EVERY', 'item=-1', 'item=2147483648', 'item=3x', 'item='];
    expect(await Promise.all(wrong.map(async (query) => (await ask(query)).status))).toEqual(wrong.map(() => 400));

    const filter = {
      jobName: 'settle',
      shardingItem: 3,
      isSuccess: false,
      isComplete: true,
      source: 'FAILOVER',
      limit: 10,
    };
    expect(executions.mock.calls).toEqual([[filter]]);
  });

  it('are away with the database, whose error nobody sees', async () => {
    const executions = async () => {
      throw new Error('password authentication failed for user settle');
    };
    const console = new FakeConsole({ sinks: [{ ...HISTORY, executions }] });
    const answer = await console.ask('viewer', 'GET', '/jobs/settle/executions');
    expect(answer).toMatchObject({ status: 503, json: { code: 'HISTORY_AWAY' } });
    expect(answer.text).not.toContain('password');
  });

  it('tell the log why they are away, once until they are back', async () => {
    let error: Error | undefined = new Error('the database is away');
    const executions = async () => {
      if (error !== undefined) throw error;
      return { rows: [], cursor: undefined };
    };
    const console = new FakeConsole({ sinks: [{ ...HISTORY, executions }] });
    const statuses: number[] = [];
    for (const next of [error, error, undefined, error]) {
      error = next;
      statuses.push((await console.ask('viewer', 'GET', '/jobs/settle/executions')).status);
    }
    expect(statuses).toEqual([503, 503, 200, 503]);
    expect(console.errors).toMatchObject([{ message: 'the database is away' }, { message: 'the database is away' }]);
  });
});
