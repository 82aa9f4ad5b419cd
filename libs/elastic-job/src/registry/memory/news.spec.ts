import { beforeEach, describe, expect, it } from 'vitest';
import type { VirtualClock } from '../../testing/index.js';
import { MemoryStage } from '@test/support/unit/memory-stage.js';

let stage: MemoryStage;
let clock: VirtualClock;
beforeEach(() => {
  stage = new MemoryStage();
  ({ clock } = stage);
});

describe('order and latency', () => {
  it('given no latency, when a node is written, then nobody hears of it inside of the call', async () => {
    const client = await stage.connected();
    const heard: string[] = [];
    await client.openSubtree('/', ({ kind }) => heard.push(kind));
    const written = client.create('/a', '', 'PERSISTENT');
    expect(heard).toEqual([]);
    await written;
    expect(heard).toEqual(['created']);
  });

  it('given a latency, when requests are made one by one, then each takes it; together they take it once', async () => {
    const client = await stage.connected({ latencyMs: 100 });
    const begun = clock.monotonicNow();
    const times = await stage.during(async () => {
      await client.exists('/');
      const first = clock.monotonicNow() - begun;
      await Promise.all([client.exists('/'), client.exists('/')]);
      return [first, clock.monotonicNow() - begun];
    });
    expect(times).toEqual([100, 200]);
  });

  it('given a far client, when a near one writes, then the far one hears it before its next reply', async () => {
    const [near, far] = [await stage.connected({ latencyMs: 10 }), await stage.connected({ latencyMs: 400 })];
    const order: string[] = [];
    await stage.during(() => far.openSubtree('/', (event) => order.push(`heard ${event.kind}`)));
    await stage.during(async () => {
      const asked = clock.sleep(1).then(() => far.exists('/'));
      await near.create('/a', '', 'PERSISTENT');
      order.push('written');
      await asked;
      order.push('answered');
    });
    expect(order).toEqual(['written', 'heard created', 'answered']);
  });

  it('given an answer after the deadline, when it is awaited, then its fate is unknown; it was applied', async () => {
    const [slow, other] = [await stage.connected({ latencyMs: 200 }), await stage.connected()];
    const written = slow.create('/a', '', 'PERSISTENT', { timeoutMs: 150 }).catch((error: unknown) => error);
    await clock.advance(200);
    expect(await written).toMatchObject({ fate: 'unknown', message: 'create /a: no answer within 150 ms' });
    expect(await other.exists('/a')).toBeDefined();
  });
});

describe('a client whose server lags behind', () => {
  it('given a change of another client, when it only waits, then news is late; after a request it is not', async () => {
    const [client, other] = [await stage.connected({ newsLagMs: 300 }), await stage.connected()];
    const view = await client.openSubtree('/', () => {});
    await other.create('/first', '', 'PERSISTENT');

    await clock.advance(299);
    expect(view.has('/first')).toBe(false);
    await clock.advance(1);
    expect(view.has('/first')).toBe(true);

    await other.create('/second', '', 'PERSISTENT');
    expect(view.has('/second')).toBe(false);
    await view.sync();
    expect(view.has('/second')).toBe(true);
  });

  it('given a lag that shrinks, when others write, then it hears of everything once and in their order', async () => {
    const lags: number[] = [];
    const [client, other] = [await stage.connected({ newsLagMs: () => lags.shift() ?? 0 }), await stage.connected()];
    const heard: string[] = [];
    await client.openSubtree('/', (event) => heard.push('path' in event ? event.path : event.kind));

    lags.push(500, 10, 0, 200);
    for (const path of ['/a', '/b', '/c', '/d']) await other.create(path, '', 'PERSISTENT');
    await clock.advance(1_000);

    expect(heard).toEqual(['/a', '/b', '/c', '/d']);
  });
});
