import { MemoryStage } from '@test/support/unit/memory-stage.js';
import { beforeEach, describe, expect, it } from 'vitest';
import type { VirtualClock } from '../../testing/index.js';

let stage: MemoryStage;
let clock: VirtualClock;
beforeEach(() => {
  stage = new MemoryStage();
  ({ clock } = stage);
});

describe('order and latency', () => {
  it('emits no event within the call that writes the node, even without latency', async () => {
    const client = await stage.connected();
    const heard: string[] = [];
    await client.openSubtree('/', ({ kind }) => heard.push(kind));
    const written = client.create('/a', '', 'PERSISTENT');
    expect(heard).toEqual([]);
    await written;
    expect(heard).toEqual(['created']);
  });

  it('adds the latency to each request in turn, but only once to requests made together', async () => {
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

  it('delivers the write of a near client to a far one before the next reply to the far one', async () => {
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

  it('leaves the fate of an applied write unknown if its answer comes after the deadline', async () => {
    const [slow, other] = [await stage.connected({ latencyMs: 200 }), await stage.connected()];
    const written = slow.create('/a', '', 'PERSISTENT', { timeoutMs: 150 }).catch((error: unknown) => error);
    await clock.advance(200);
    expect(await written).toMatchObject({ fate: 'unknown', message: 'create /a: no answer within 150 ms' });
    expect(await other.exists('/a')).toBeDefined();
  });
});

describe('a client whose server lags behind', () => {
  it('sees a change late while it only waits, and at once after a request', async () => {
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

  it('gets every change once and in order, even if the lag shrinks', async () => {
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
