import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MemoryRegistry, type RegistryCenter } from '../registry/index.js';
import { VirtualClock } from '../testing/index.js';
import { type DumpServer, startDumpServer } from './dump-server.js';
import { JobOperateApi } from './job-operate.api.js';

let clock: VirtualClock;
let registry: RegistryCenter;
let operations: JobOperateApi;
let server: DumpServer;
beforeEach(async () => {
  clock = new VirtualClock();
  const options = { namespace: 'dump', clock, sessionTimeoutMs: 10_000, requestTimeoutMs: 5_000 };
  registry = new MemoryRegistry(clock).center(options);
  await registry.connect();
  await registry.ensurePath('/settle-orders/servers');
  await registry.create('/settle-orders/servers/10.0.0.1', 'ENABLED', 'PERSISTENT');
  operations = new JobOperateApi(registry, clock);
  server = await startDumpServer(operations, clock, { port: 0 });
});
afterEach(async () => {
  await server.close();
  await registry.close();
});

describe('a dump of a hostile tree', () => {
  it('has 10,000 children of a node at most, and says that it is cut', async () => {
    await registry.ensurePath('/settle-orders/sharding');
    const paths = Array.from({ length: 12_000 }, (_, item) => `/settle-orders/sharding/${item}`);
    for (const path of paths) await registry.create(path, '', 'PERSISTENT');

    const lines = (await operations.dump('settle-orders')).split('\n');

    expect(lines.filter((line) => line.startsWith('/settle-orders/sharding/'))).toHaveLength(10_000);
    expect(lines.at(-2)).toMatch(/^# cut: /);
  });

  it('has at most maxBytes as it is shown, also where hiding makes a text longer', async () => {
    await registry.ensurePath('/settle-orders/sharding/0');
    const record = Object.fromEntries(Array.from({ length: 2_000 }, (_, field) => [`f${field}`, 1]));
    await registry.create('/settle-orders/sharding/0/record', JSON.stringify(record), 'PERSISTENT');
    await registry.create('/settle-orders/servers/ipv6', '::/::/::/::/::/::'.repeat(1_000), 'PERSISTENT');

    const dump = await operations.dump('settle-orders', { maxBytes: 24_000 });

    expect(Buffer.byteLength(dump)).toBeLessThan(24_100);
    expect(dump).toMatch(/\n# cut: .*\n$/);
  });

  it('is hidden in turns of the event loop', async () => {
    for (const name of 'abcdefgh') {
      await registry.create(`/settle-orders/servers/${name}`, '::1 '.repeat(30_000), 'PERSISTENT');
    }
    const turns = vi.spyOn(clock, 'nextTurn');

    await operations.dump('settle-orders');

    expect(turns.mock.calls.length).toBeGreaterThanOrEqual(8);
  });
});

describe('the dump server', () => {
  it('answers the command with the dump, even if the client ends its side', async () => {
    const dump = await operations.dump('settle-orders');
    expect(dump).toContain('/servers/ip1 | ENABLED\n');
    expect(await ask('dump@settle-orders\n')).toBe(dump);
    expect(await ask('dump@settle-orders\r\n')).toBe(dump);
    expect(await ask('dump@settle-orders\n', 'end')).toBe(dump);
  });

  it.each(['dump@other\n', 'dump@a(b\n'])('answers %j with an empty line, as there is no such job', async (text) => {
    expect(await ask(text)).toBe('\n');
  });

  it.each(['dump\n', 'dump@\n', 'dump@a@b\n', 'stop@settle-orders\n', 'x'.repeat(5_000)])(
    'does not answer what is no command (%#)',
    async (text) => {
      expect(await ask(text)).toBe('');
    },
  );

  it('cuts off a client that does not complete its command in time', async () => {
    const waiting = ask('dump@settle-orders');
    while (clock.pendingTimers === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(10_000);
    expect(await waiting).toBe('');
    expect(clock.pendingTimers).toBe(0);
  });

  it('reports a port that is already taken', async () => {
    const second = startDumpServer(operations, clock, { port: server.port });
    await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

/** Sends the text, and returns the answer until the server closes. */
function ask(text: string, then?: 'end'): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(server.port, '127.0.0.1', () => (then === 'end' ? socket.end(text) : socket.write(text)));
    socket.setEncoding('utf8').on('data', (chunk) => (answer += String(chunk)));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}
