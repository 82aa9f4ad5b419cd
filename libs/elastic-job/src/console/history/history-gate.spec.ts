import { FakeJobHistory, runOf } from '@test/support/unit/job-history.js';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../domain/index.js';
import { VirtualClock } from '../../testing/index.js';
import type { JobHistory } from '../../tracing/index.js';
import { HistoryGate } from './history-gate.js';

function setUp() {
  const clock = new VirtualClock();
  const history = new FakeJobHistory();
  const logged: unknown[] = [];
  const log = { error: (_text: string, error: unknown) => void logged.push(error) };
  const gate = new HistoryGate({ clock, sinks: [history], log });
  const read = (from: JobHistory) => from.runs({}).then(({ rows }) => ({ rows }));
  return { clock, history, logged, gate, ask: (name: string, reuseMs = 0) => gate.ask([name], read, reuseMs) };
}

/** A promise that is settled from outside. */
function pending() {
  let end = () => {};
  const until = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { end, until };
}

const AWAY = { status: 503, code: 'HISTORY_AWAY' };

describe('the way to the history', () => {
  it('gives the last answer of the same question while the database is away, and its own once it is back', async () => {
    const { ask, clock, history } = setUp();
    history.rows = [runOf()];
    const first = await ask('a');
    expect(first).toMatchObject({ isStale: false, answer: { rows: [runOf()] } });

    await clock.advance(60_000);
    history.fault = new Error('the connection is refused');
    expect(await ask('a')).toEqual({ ...first, isStale: true });
    await expect(ask('b')).rejects.toMatchObject(AWAY);

    history.fault = undefined;
    history.rows = [];
    expect(await ask('a')).toMatchObject({ isStale: false, at: first.at + 60_000, answer: { rows: [] } });
  });

  it('tells the log why the database is away, once until it is back', async () => {
    const { ask, history, logged } = setUp();
    for (const fault of [new Error('one'), new Error('two'), undefined, new Error('three')]) {
      history.fault = fault;
      await ask('a').catch(() => {});
    }
    expect(logged).toMatchObject([{ message: 'one' }, { message: 'three' }]);
  });

  it('passes on what the question has got wrong', async () => {
    const { ask, history, logged } = setUp();
    history.fault = new ConfigurationError('a query', ['limit must be a whole number']);
    await expect(ask('a')).rejects.toBe(history.fault);
    expect(logged).toEqual([]);
  });

  it('waits 5 s for an answer, and gives the last one then', async () => {
    const { ask, clock, history } = setUp();
    await ask('a');
    const { end, until } = pending();
    history.until = until;
    const [late, never] = [ask('a'), ask('b').catch((error: unknown) => error)];
    await clock.advance(5_000);
    expect(await late).toMatchObject({ isStale: true });
    expect(await never).toMatchObject(AWAY);
    end();
  });

  it('asks three things at a time, and the others in their turn', async () => {
    const { ask, clock, history } = setUp();
    const { end, until } = pending();
    history.until = until;
    const answers = ['a', 'b', 'c', 'd', 'e'].map((name) => ask(name));
    await clock.advance(0);
    expect(history.asked).toHaveLength(3);
    end();
    expect(await Promise.all(answers)).toHaveLength(5);
    expect(history.asked).toHaveLength(5);
  });

  it('asks once for all who ask the same at the same time, or soon after where that is enough', async () => {
    const { ask, clock, history } = setUp();
    const answers = await Promise.all([ask('a'), ask('a'), ask('a')]);
    expect(answers[1]).toEqual(answers[0]);
    await ask('a', 2_000);
    expect(history.asked).toHaveLength(1);
    await clock.advance(2_000);
    await ask('a', 2_000);
    expect(history.asked).toHaveLength(2);
  });

  it('adds no question to a database that answers none, until it has answered or a minute has passed', async () => {
    const { ask, clock, history } = setUp();
    const { end, until } = pending();
    history.until = until;
    const late = ['a', 'b', 'c'].map((name) => ask(name).catch((error: unknown) => error));
    await clock.advance(5_000);
    expect(await Promise.all(late)).toMatchObject([AWAY, AWAY, AWAY]);

    await expect(ask('d')).rejects.toMatchObject(AWAY);
    expect(history.asked).toHaveLength(3);
    await clock.advance(55_000);
    history.until = Promise.resolve();
    expect(await ask('d')).toMatchObject({ isStale: false });
    end();
  });

  it('gives no place away of one that has left the queue', async () => {
    const { ask, clock, history } = setUp();
    const { end, until } = pending();
    history.until = until;
    const all = ['a', 'b', 'c', 'd'].map((name) => ask(name).catch(() => 'away'));
    await clock.advance(5_000);
    expect(await Promise.all(all)).toEqual(['away', 'away', 'away', 'away']);
    end();
    await clock.advance(0);
    history.until = Promise.resolve();
    expect(await Promise.all(['a', 'b', 'c', 'd'].map((name) => ask(name)))).toHaveLength(4);
  });

  it('is refused by 409 without a history, and with one that tells runs alone', async () => {
    const clock = new VirtualClock();
    const { countExecutions, countStatuses, executions, migrate, statuses } = new FakeJobHistory();
    for (const sinks of [[], [{ migrate, executions, statuses, countExecutions, countStatuses }]]) {
      const gate = new HistoryGate({ clock, sinks, log: { error: () => {} } });
      await expect(gate.ask(['a'], async () => ({}))).rejects.toMatchObject({ code: 'MISSING_RUN_HISTORY' });
      expect(gate.isThere).toBe(false);
    }
  });
});
