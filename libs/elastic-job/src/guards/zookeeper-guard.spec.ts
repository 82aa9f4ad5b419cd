import { beforeEach, describe, expect, it } from 'vitest';
import { FencedError } from '../domain/index.js';
import { MemoryRegistry, type Operation, type RegistryCenter } from '../registry/index.js';
import { VirtualClock } from '../testing/index.js';
import { FenceAheadError, type FencedRun, FenceNodeError, MissingTokenError, ZooKeeperGuard } from './index.js';

const JOB = 'settle-orders';
// Beyond 2^53, where JavaScript numbers cannot tell neighbours apart.
const TOKEN = 2n ** 62n;

let server: MemoryRegistry;
let registry: RegistryCenter;
let guard: ZooKeeperGuard;
beforeEach(async () => {
  server = new MemoryRegistry(new VirtualClock());
  registry = await connect();
  await registry.create('/ledger', '', 'PERSISTENT');
  guard = new ZooKeeperGuard(registry, '/fences');
});

async function connect(): Promise<RegistryCenter> {
  const options = { namespace: 'test', clock: new VirtualClock(), sessionTimeoutMs: 10_000, requestTimeoutMs: 5_000 };
  const center = server.center(options);
  await center.connect();
  return center;
}

const run = (token: bigint | undefined, tokenEpoch = 0, shardingItem = 0): FencedRun => ({
  jobName: JOB,
  shardingItem,
  token,
  tokenEpoch,
});
const entry = (data: string): Operation => ({ kind: 'create', path: '/ledger/e', data, mode: 'PERSISTENT_SEQUENTIAL' });
const write = (data: string, as: FencedRun, through = guard) => through.write(as, [entry(data)]);

/** The written entries, in order. */
async function ledger(): Promise<string[]> {
  const names = (await registry.children('/ledger')).toSorted();
  return (await registry.readMany(names.map((name) => `/ledger/${name}`))).map((node) => node!.data);
}

describe('a fence that cannot be read', () => {
  const texts = [
    '',
    'x',
    'null',
    '5',
    '{"token":"1"}',
    '{"tokenEpoch":0,"token":"secret"}',
    '{"tokenEpoch":0,"token":-1}',
  ];

  it.each([...texts, `{"tokenEpoch":0,"token":"${'9'.repeat(1_000)}"}`, '{"tokenEpoch":1e999,"token":"1"}'])(
    'refuses a write and a check by name, without its text: %j',
    async (text) => {
      await write('first', run(TOKEN));
      const path = `/fences/${JOB}/0`;
      await registry.set(path, text);

      for (const refused of [write('second', run(TOKEN)), guard.assertNotAhead(JOB, { tokenEpoch: 0, token: TOKEN })]) {
        const error = await refused.catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(FenceNodeError);
        expect(error).toMatchObject({ code: 'FENCE_NODE', path });
        expect(String(error)).not.toContain('secret');
      }
      expect(await ledger()).toEqual(['first']);
    },
  );
});

describe('ZooKeeperGuard.write', () => {
  it('keeps every write of the newest token, at 2 requests each', async () => {
    await write('first', run(TOKEN));
    const before = registry.traffic.foreground;
    await write('second', run(TOKEN));

    expect(registry.traffic.foreground - before).toBe(2);
    expect(await ledger()).toEqual(['first', 'second']);
  });

  it('refuses a stale run once its rescuer has written, and applies nothing of it', async () => {
    await write('rescuer', run(TOKEN + 1n));

    const refusal = await write('stale', run(TOKEN)).catch((error: unknown) => error);

    expect(refusal).toBeInstanceOf(FencedError);
    expect(refusal).toMatchObject({ code: 'FENCED', jobName: JOB, item: 0, token: TOKEN });
    expect(await ledger()).toEqual(['rescuer']);
  });

  it('refuses a stale run whose rescuer writes between its read and its write', async () => {
    await write('stale, in time', run(TOKEN));
    const slow = await connect();
    const transaction = slow.transaction.bind(slow);
    slow.transaction = async (...request) => {
      await write('rescuer', run(TOKEN + 1n));
      return transaction(...request);
    };

    await expect(write('stale, late', run(TOKEN), new ZooKeeperGuard(slow, '/fences'))).rejects.toThrow(FencedError);
    expect(await ledger()).toEqual(['stale, in time', 'rescuer']);
  });

  it('decides by the higher tokenEpoch if tokens count from below again', async () => {
    await write('old ensemble', run(TOKEN, 0));
    await write('new ensemble', run(7n, 1));

    await expect(write('old ensemble, late', run(TOKEN + 1n, 0))).rejects.toThrow(FencedError);
    expect(await ledger()).toEqual(['old ensemble', 'new ensemble']);
  });

  it('lets an item write although another item has seen a newer token', async () => {
    await write('item 1', run(TOKEN + 1n, 0, 1));
    await write('item 0', run(TOKEN, 0, 0));
    expect(await ledger()).toEqual(['item 1', 'item 0']);
  });

  it('reports operations that the registry refuses, and leaves the fence as it was', async () => {
    const missing: Operation = { kind: 'delete', path: '/ledger/missing' };

    const result = await guard.write(run(TOKEN + 1n), [entry('a'), missing]);

    expect(result).toEqual({ kind: 'refused', index: 1, path: '/ledger/missing', refusal: 'NO_NODE' });
    await write('older run', run(TOKEN));
    expect(await ledger()).toEqual(['older run']);
  });

  it("returns the results of the caller's operations alone", async () => {
    const result = await guard.write(run(TOKEN), [entry('a'), { kind: 'check', path: '/ledger' }]);
    expect(result).toMatchObject({ kind: 'committed', results: [{ kind: 'create' }, { kind: 'check' }] });
  });

  it('refuses to write for a job without monitorExecution', async () => {
    await expect(write('untokened', run(undefined))).rejects.toThrow(MissingTokenError);
    expect(await ledger()).toEqual([]);
  });
});

describe('ZooKeeperGuard.assertNotAhead', () => {
  it('accepts a registry whose tokens are not behind, and a job without a fence', async () => {
    const check = (jobName: string, token: bigint) => guard.assertNotAhead(jobName, { tokenEpoch: 0, token });
    await expect(check(JOB, 1n)).resolves.toBeUndefined();
    await write('a', run(TOKEN));
    await expect(check(JOB, TOKEN)).resolves.toBeUndefined();
    await expect(check('bill-orders', 1n)).resolves.toBeUndefined();
  });

  it('names the newest writer and the right tokenEpoch for a replaced registry', async () => {
    await write('a', run(TOKEN, 2, 0));
    await write('b', run(TOKEN + 1n, 2, 5));

    const refusal = await guard.assertNotAhead(JOB, { tokenEpoch: 2, token: 900n }).catch((error: unknown) => error);

    expect(refusal).toBeInstanceOf(FenceAheadError);
    expect(refusal).toMatchObject({
      item: 5,
      stored: { tokenEpoch: 2, token: TOKEN + 1n },
      message: expect.stringContaining('set the module\'s "tokenEpoch" to 3'),
    });
  });
});
