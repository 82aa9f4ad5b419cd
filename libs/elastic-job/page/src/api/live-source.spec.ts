import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LiveSource } from './live-source.js';
import { ApiProblem } from './problem.js';

const get = vi.hoisted(() => vi.fn<(path: string) => Promise<unknown>>());
vi.mock('./client.js', () => ({ get }));
vi.mock('./place.js', () => ({
  apiPath: (...parts: string[]) => `/${parts.join('/')}`,
  urlOf: (path: string, query: { topics: string }) => `${path}?${query.topics}`,
}));

/** A stream as the browser has it, of which the test is the server. */
class FakeEventSource extends EventTarget {
  static readonly CLOSED = 2;
  static opened: FakeEventSource[] = [];
  readyState = 0;

  constructor(readonly url: string) {
    super();
    FakeEventSource.opened.push(this);
  }

  close(): void {
    this.readyState = 2;
  }

  accept(): void {
    this.dispatchEvent(new Event('open'));
  }

  refuse(): void {
    this.readyState = 2;
    this.dispatchEvent(new Event('error'));
  }

  tell(topic: string, frame: unknown = {}): void {
    this.dispatchEvent(Object.assign(new Event(topic), { data: JSON.stringify(frame) }));
  }
}

const streams = () => FakeEventSource.opened;
const topicsOf = ({ url }: FakeEventSource) => url.split('?')[1]!.split(',');
const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000);

/** A source of which the states and the frames are kept. */
function setUp() {
  const states: string[] = [];
  const frames: string[] = [];
  const source = new LiveSource({
    onFrame: (topic) => void frames.push(topic),
    onState: (state) => void states.push(state),
  });
  return { source, states, frames, last: () => streams().at(-1)! };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('EventSource', FakeEventSource);
  FakeEventSource.opened = [];
  get.mockReset().mockResolvedValue({});
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('a stream', () => {
  it('follows topics that were asked for while it was being opened', async () => {
    const { last, source } = setUp();
    source.follow(['overview']);
    await vi.advanceTimersByTimeAsync(50);

    source.follow(['job:settle-orders', 'overview']);
    await vi.advanceTimersByTimeAsync(20);
    last().tell('overview');
    await vi.advanceTimersByTimeAsync(50);

    expect(topicsOf(last())).toEqual(['overview', 'job:settle-orders']);
    expect(streams().map(({ readyState }) => readyState)).toEqual([2, 0]);
  });

  it('ends, and is not opened again', async () => {
    const { last, source } = setUp();
    source.follow(['overview']);
    await seconds(1);
    source.follow(['jobs']);
    source.close();
    await seconds(60);
    expect([streams().length, last().readyState]).toEqual([1, 2]);
  });

  it('that is refused again and again is tried every ten seconds, also for a job that is gone', async () => {
    get.mockImplementation(async (path) => {
      if (path === '/jobs/gone') throw new ApiProblem({ status: 404, code: 'UNKNOWN_JOB', detail: '', requestId: '' });
    });
    const { last, source } = setUp();
    source.follow(['job:gone', 'overview']);
    await seconds(1);
    last().refuse();
    await seconds(1);
    const before = streams().length;

    for (let second = 0; second < 60; second += 1) {
      if (last().readyState !== 2) last().refuse();
      await seconds(1);
    }

    expect(streams().length - before).toBeLessThanOrEqual(7);
  });

  it('has the topics of all before those of single jobs, and is not live for more than it can have', async () => {
    const { last, source, states } = setUp();

    source.follow([...Array.from({ length: 40 }, (_, index) => `job:${index}`), 'jobs', 'overview']);
    await seconds(1);
    last().accept();
    last().tell('overview');

    expect(topicsOf(last())).toEqual(expect.arrayContaining(['overview', 'jobs']));
    expect(topicsOf(last())).toHaveLength(32);
    expect(states.at(-1)).toBe('polling');
  });

  it('follows a job that is gone once it is there again', async () => {
    let isThere = false;
    get.mockImplementation(async (path) => {
      if (path === '/jobs/gone' && !isThere) {
        throw new ApiProblem({ status: 404, code: 'UNKNOWN_JOB', detail: '', requestId: '' });
      }
    });
    const { last, source } = setUp();
    source.follow(['job:gone', 'overview']);
    await seconds(1);
    last().refuse();
    await seconds(1);
    expect(topicsOf(last())).toEqual(['overview']);
    last().accept();
    last().tell('overview');

    isThere = true;
    await seconds(15);

    expect(topicsOf(last())).toContain('job:gone');
  });

  it('is live with its first frame: a proxy may keep all of it back but its headers', async () => {
    const { last, source, states } = setUp();
    source.follow(['overview']);
    await seconds(1);

    last().accept();
    await seconds(15);
    expect(states.at(-1)).toBe('polling');

    last().tell('overview');
    expect(states.at(-1)).toBe('live');
  });

  it('that tells nothing for longer than its heartbeat is lost, and is opened anew', async () => {
    const { last, source, states } = setUp();
    source.follow(['overview']);
    await seconds(1);
    last().accept();
    last().tell('overview');
    for (let beat = 0; beat < 8; beat += 1) {
      await seconds(15);
      last().tell('alive');
    }
    expect([states.at(-1), streams().length]).toEqual(['live', 1]);

    await seconds(50);

    expect([states.at(-1), streams().length]).toEqual(['lost', 2]);
  });
});
