import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
