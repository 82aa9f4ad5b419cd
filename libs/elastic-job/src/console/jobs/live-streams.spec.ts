import { plant } from '@test/support/unit/console-jobs.js';
import { idOf, MemoryStage } from '@test/support/unit/memory-stage.js';
import { describe, expect, it, vi } from 'vitest';
import { Listeners, readFields } from '../../domain/index.js';
import { type AuditEntry, type ConsoleCaller, ConsoleProblem, type FrameSink } from '../contract/index.js';
import { JobIndex } from './job-index.js';
import { LiveStreams, type LiveStreamsParts } from './live-streams.js';

const VIEWER: ConsoleCaller = { name: 'ann', role: 'viewer', by: 'page' };
const OPERATOR: ConsoleCaller = { name: 'otto', role: 'operator', by: 'page' };
const ENTRY: AuditEntry = {
  id: '1',
  at: '2030-01-01T00:00:00.000Z',
  who: 'ada',
  role: 'admin',
  by: 'page',
  address: null,
  requestId: null,
  action: 'job.disable',
  target: { job: 'settle' },
  reason: null,
  before: null,
  after: null,
  outcome: 'intended',
  code: null,
};

describe('live streams', () => {
  it('begin with the state of each topic, as server-sent events with numbers', async () => {
    const { client, streams, stage, stop } = await setUp();

    streams.open(VIEWER, ['overview', 'jobs', 'job:settle'], client.sink);
    await stage.clock.advance(10);

    expect(client.frames.map((frame) => frame.replace(/data: .*/, 'data'))).toEqual([
      expect.stringMatching(/^event: overview\nid: \d\ndata\n\n$/),
      expect.stringMatching(/^event: jobs\nid: \d\ndata\n\n$/),
      expect.stringMatching(/^event: job:settle\nid: \d\ndata\n\n$/),
    ]);
    expect(client.data('overview')).toMatchObject([{ jobs: 2, stale: false }]);
    expect(client.data('jobs')).toMatchObject([{ rows: [], gone: [], more: true, total: 2, indexed: 2 }]);
    expect(client.data('job:settle')).toMatchObject([{ job: 'settle', row: { job: 'settle' }, items: null }]);
    await stop();
  });

  it('tell of the items of a job that have changed, merged and with its row', async () => {
    const { client, center, streams, stage, stop } = await setUp();
    streams.open(VIEWER, ['job:settle'], client.sink);
    await stage.clock.advance(1_000);
    client.frames.length = 0;

    for (let change = 0; change < 50; change += 1) {
      await center.create('/settle/sharding/1/disabled', '', 'PERSISTENT');
      await center.create('/settle/sharding/0/misfire', '', 'PERSISTENT');
      await stage.clock.advance(10);
      if (change === 49) break;
      await center.delete('/settle/sharding/1/disabled');
      await center.delete('/settle/sharding/0/misfire');
      await stage.clock.advance(10);
    }
    await stage.clock.advance(500);

    const told = client.data('job:settle');
    expect(told.length).toBeLessThanOrEqual(6);
    expect(told.at(-1)).toMatchObject({ row: { disabledItems: [1] }, items: [0, 1], stale: false });
    await stop();
  });

  it('tell of rows that have changed, and of jobs that are gone', async () => {
    const { client, center, streams, stage, stop } = await setUp();
    streams.open(VIEWER, ['jobs'], client.sink);
    await stage.clock.advance(1_000);
    client.frames.length = 0;

    await center.create('/ledger/sharding/0/disabled', '', 'PERSISTENT');
    await stage.clock.advance(8_000);

    expect(client.data('jobs')).toMatchObject([{ rows: [{ job: 'ledger', disabledItems: [0] }], more: false }]);
    await stop();
  });

  it('tell a change in the registry at once, on each topic that it is about', async () => {
    const { client, center, streams, stage, stop } = await setUp();
    streams.open(VIEWER, ['overview', 'jobs', 'job:settle'], client.sink);
    await stage.clock.advance(1_000);
    client.frames.length = 0;

    await center.create('/settle/sharding/0/disabled', '', 'PERSISTENT');
    await stage.clock.advance(100);

    expect(client.data('job:settle')).toMatchObject([{ items: [0], row: { disabledItems: [0] } }]);
    expect(client.data('jobs')).toMatchObject([{ rows: [{ job: 'settle', disabledItems: [0] }] }]);
    expect(client.data('overview')).toMatchObject([{ attention: { disabled: 1 } }]);
    await stop();
  });

  it('tell changes that go on at most four times a second', async () => {
    const { client, center, streams, stage, stop } = await setUp();
    streams.open(VIEWER, ['overview', 'jobs', 'job:settle'], client.sink);
    await stage.clock.advance(1_000);
    client.frames.length = 0;

    for (let change = 0; change < 100; change += 1) {
      await (change % 2 === 0
        ? center.create('/settle/sharding/0/disabled', '', 'PERSISTENT')
        : center.delete('/settle/sharding/0/disabled'));
      await stage.clock.advance(20);
    }

    for (const topic of ['overview', 'jobs', 'job:settle']) {
      expect(client.data(topic).length).toBeGreaterThan(4);
      expect(client.data(topic).length).toBeLessThanOrEqual(9);
    }
    await stop();
  });

  it('tell at once of which jobs the audit has entries that have come or ended', async () => {
    const { client, streams, stage, stop, write } = await setUp();
    streams.open(OPERATOR, ['audit'], client.sink);
    await stage.clock.advance(1_000);
    expect(client.data('audit')).toEqual([{ jobs: null }]);
    client.frames.length = 0;

    write({});
    write({ outcome: 'done' });
    write({ target: { job: 'ledger', item: 1 } });
    await stage.clock.advance(50);
    expect(client.data('audit')).toEqual([{ jobs: ['settle', 'ledger'] }]);

    write({ action: 'server.disable', target: { server: '10.0.0.7' } });
    await stage.clock.advance(300);
    expect(client.data('audit').slice(1)).toEqual([{ jobs: null }]);
    await stop();
  });

  it('tell a caller with a prefix of the entries of its jobs, and of its own log-ins', async () => {
    const { client, streams, stage, stop, write } = await setUp();
    streams.open({ ...OPERATOR, jobPrefix: 'led' }, ['audit'], client.sink);
    await stage.clock.advance(1_000);
    client.frames.length = 0;

    write({});
    write({ action: 'session.login', target: {} });
    await stage.clock.advance(1_000);
    expect(client.frames).toEqual([]);

    write({ target: { job: 'ledger' } });
    await stage.clock.advance(1_000);
    write({ action: 'session.login', target: {}, who: 'otto' });
    await stage.clock.advance(1_000);
    expect(client.data('audit')).toEqual([{ jobs: ['ledger'] }, { jobs: null }]);
    await stop();
  });

  it('say that facts are stale, and that they are fresh again', async () => {
    const { client, center, streams, stage, stop } = await setUp();
    streams.open(VIEWER, ['jobs'], client.sink);
    await stage.clock.advance(1_000);
    client.frames.length = 0;

    stage.registry.suspend(idOf(center));
    await stage.clock.advance(2_000);
    stage.registry.resume(idOf(center));
    await stage.clock.advance(60_000);

    expect(client.data('jobs').map(({ stale }) => stale)).toEqual(expect.arrayContaining([true, false]));
    expect(client.data('jobs').at(-1)).toMatchObject({ stale: false });
    await stop();
  });

  it('keep one frame for a client that is slow, and drop one that takes nothing for 30 s', async () => {
    const { client, center, streams, stage, stop } = await setUp();
    const slow = aClient({ takes: false });
    streams.open(VIEWER, ['job:settle'], client.sink);
    streams.open(VIEWER, ['job:settle'], slow.sink);
    await stage.clock.advance(1_000);
    for (let item = 0; item < 2; item += 1) {
      await center.create(`/settle/sharding/${item}/disabled`, '', 'PERSISTENT');
      await stage.clock.advance(1_000);
    }
    expect([client.frames.length, slow.frames.length]).toEqual([3, 1]);

    slow.drain();
    await stage.clock.advance(1_000);
    expect(slow.data('job:settle').slice(1)).toMatchObject([{ items: [0, 1], row: { disabledItems: [0, 1] } }]);

    await stage.clock.advance(31_000);
    expect([client.isEnded(), slow.isEnded()]).toEqual([false, true]);
    await stop();
  });

  it('tell once why frames are kept back, however often that is tried, and again after a success', async () => {
    const told: unknown[] = [];
    const { client, index, streams, stage, stop } = await setUp({ onError: (error) => told.push(error) });
    const overview = vi.spyOn(index, 'overview');
    const fail = () => {
      overview.mockImplementation(() => {
        throw new Error('broken');
      });
    };
    fail();
    streams.open(VIEWER, ['overview'], client.sink);
    await stage.clock.advance(10_000);
    expect(overview.mock.calls.length).toBeGreaterThan(5);
    expect(told).toHaveLength(1);

    overview.mockReset();
    await stage.clock.advance(2_000);
    expect(client.data('overview').length).toBeGreaterThan(0);
    fail();
    streams.open(VIEWER, ['overview'], aClient().sink);
    await stage.clock.advance(10_000);

    expect(told).toHaveLength(2);
    await stop();
  });

  it('send a sign of life after 15 s of silence', async () => {
    const { client, streams, stage, stop } = await setUp();
    streams.open(VIEWER, ['job:settle'], client.sink);
    await stage.clock.advance(1_000);
    client.frames.length = 0;

    await stage.clock.advance(30_000);

    expect(client.frames).toEqual(['event: alive\ndata: {}\n\n', 'event: alive\ndata: {}\n\n']);
    await stop();
  });

  it('are limited, in all and for each person', async () => {
    const { streams, stage, stop } = await setUp({ streams: 3, perPerson: 2 });
    const open = (name: string) => streams.open({ ...VIEWER, name }, ['overview'], aClient().sink);
    open('ann');
    open('ann');
    expect(problemOf(() => open('ann'))).toEqual([429, '10']);
    open('bob');
    expect(problemOf(() => open('eve'))).toEqual([429, '10']);

    await stage.clock.advance(1_000);
    await stop();
  });

  it('know no job beyond the prefix of the caller, and no other topic', async () => {
    const { client, streams, stop } = await setUp();
    const caller = { ...VIEWER, jobPrefix: 'led' };

    expect(problemOf(() => streams.open(caller, ['job:settle'], client.sink))).toEqual([404, undefined]);
    expect(problemOf(() => streams.open(caller, ['overview', 'job:../settle'], client.sink))).toEqual([404, undefined]);
    expect(problemOf(() => streams.open(caller, ['servers'], client.sink))).toEqual([400, undefined]);
    expect(problemOf(() => streams.open(caller, [], client.sink))).toEqual([400, undefined]);
    await stop();
  });

  it('tell a caller with a prefix of its jobs alone', async () => {
    const { client, center, streams, stage, stop } = await setUp();
    streams.open({ ...VIEWER, jobPrefix: 'led' }, ['jobs', 'overview'], client.sink);
    await stage.clock.advance(1_000);
    client.frames.length = 0;

    await center.create('/settle/sharding/0/disabled', '', 'PERSISTENT');
    await stage.clock.advance(8_000);

    expect(client.data('jobs')).toEqual([]);
    // Not even that something has changed elsewhere.
    expect(client.frames).toEqual([]);

    await center.create('/ledger/sharding/0/disabled', '', 'PERSISTENT');
    await stage.clock.advance(8_000);
    expect(client.data('overview')).toMatchObject([{ jobs: 1 }]);
    await stop();
  });

  it('have numbers that do not tell how much others are told', async () => {
    const { client, center, streams, stage, stop } = await setUp();
    streams.open(VIEWER, ['jobs', 'overview', 'job:settle'], aClient().sink);
    await stage.clock.advance(1_000);
    await center.create('/settle/sharding/0/disabled', '', 'PERSISTENT');
    await stage.clock.advance(8_000);

    streams.open({ ...VIEWER, name: 'led', jobPrefix: 'led' }, ['jobs'], client.sink);
    await stage.clock.advance(1_000);

    expect(client.frames).toEqual([expect.stringMatching(/^event: jobs\nid: 1\n/)]);
    await stop();
  });

  it('end with their signal, their client, or the console, and leave nothing', async () => {
    const { client, streams, stage, stop } = await setUp();
    const [other, third] = [aClient(), aClient()];
    const session = new AbortController();
    streams.open(VIEWER, ['job:settle', 'jobs'], client.sink, session.signal);
    streams.open(VIEWER, ['job:settle'], other.sink);
    streams.open(VIEWER, ['overview'], third.sink, AbortSignal.abort());
    await stage.clock.advance(1_000);
    expect(third.isEnded()).toBe(true);

    session.abort();
    other.close();
    await stage.clock.advance(1_000);

    expect([client.isEnded(), other.isEnded()]).toEqual([true, true]);
    await stop();
  });
});

/** Status and Retry-After of the refusal. */
function problemOf(work: () => void): readonly [number, string | undefined] | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (!(error instanceof ConsoleProblem)) throw error;
    return [error.status, error.headers['retry-after']];
  }
}

/** A client of a stream. It takes everything, or lets all frames after the first one wait. */
function aClient({ takes = true } = {}) {
  const frames: string[] = [];
  const listeners: Record<'drain' | 'close', () => void> = { drain: () => {}, close: () => {} };
  let isEnded = false;
  const sink: FrameSink = {
    write: (frame) => {
      if (isEnded) throw new Error('The stream has ended.');
      frames.push(frame);
      return takes;
    },
    onDrain: (listener) => (listeners.drain = listener),
    onClose: (listener) => (listeners.close = listener),
    end: () => (isEnded = true),
  };
  const data = (topic: string) =>
    frames
      .filter((frame) => frame.startsWith(`event: ${topic}\n`))
      .map((frame) => readFields(/^data: (.*)$/m.exec(frame)![1]!)!);
  const { drain, close } = { drain: () => listeners.drain(), close: () => listeners.close() };
  return { sink, frames, data, isEnded: () => isEnded, drain, close };
}

async function setUp(limits: Partial<LiveStreamsParts> = {}) {
  const stage = new MemoryStage();
  const center = await stage.connected();
  for (const job of ['settle', 'ledger']) await stage.during(() => plant(center, job));
  const parts = { registry: center, clock: stage.clock, redact: (text: string) => text, namespace: 'test' };
  const index = new JobIndex({ ...parts, isShared: false });
  index.start();
  await stage.clock.advance(1_000);
  const entries = new Listeners<(entry: AuditEntry) => void>();
  const audit = { onChange: (listener: (entry: AuditEntry) => void) => entries.add(listener) };
  const streams = new LiveStreams({ audit, index, clock: stage.clock, ...limits });
  const write = (entry: Partial<AuditEntry>) => entries.forEach((listener) => listener({ ...ENTRY, ...entry }));
  /** Leaves nothing open. */
  const stop = async () => {
    streams.stop();
    await stage.clock.advance(31_000);
    await stage.during(() => index.stop());
    await stage.clock.advance(0);
    expect(stage.clock.pendingTimers).toBe(0);
  };
  return { center, client: aClient(), index, stage, stop, streams, write };
}
