import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { ElasticJobModule, type ElasticJobModuleOptions, type ZooKeeperRegistryOptions } from '@app/elastic-job';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { QUIET } from './support/job-application.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

const clock = new SystemClock();
/** A signal on which Nest can shut down, and on which nothing else in this process acts. */
const SIGNAL = 'SIGUSR2';

function overZooKeeper(options: Partial<ZooKeeperRegistryOptions>): ElasticJobModuleOptions {
  return {
    registry: { type: 'zookeeper', servers: zooKeeper, namespace: `nest/${clock.uuid()}`, ...options },
  };
}

/** Starts and ends an application. @returns the error of its start, if any */
async function startError(options: ElasticJobModuleOptions): Promise<string> {
  try {
    const app = await NestFactory.createApplicationContext(ElasticJobModule.forRoot(options), QUIET);
    await app.close();
    return 'none';
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}

/** A port of this host on which no program listens. */
async function silentPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('a registry that does not work', () => {
  it('stops the start after connectionTimeoutMs if it cannot be reached, with servers and time', async () => {
    const servers = `127.0.0.1:${await silentPort()}`;
    const started = clock.monotonicNow();
    const error = await startError(overZooKeeper({ servers, connectionTimeoutMs: 400 }));
    const elapsed = clock.monotonicNow() - started;
    expect(error).toMatch(/^RegistryUnavailableError/);
    expect(error).toContain(servers);
    expect(error).toContain('400');
    expect(elapsed).toBeGreaterThanOrEqual(390);
    expect(elapsed).toBeLessThan(10_000);
  });

  it.each([
    ['10.0.0.1:port', /servers: entry 1 has a port/],
    ['10.0.0.1:2181,10.0.0.2:99999', /servers: entry 2 has a port/],
    ['', /servers/],
  ])('stops the start before connecting if the server list is "%s", and the error names the entry', async (...row) => {
    const [servers, named] = row;
    const error = await startError(overZooKeeper({ servers }));
    expect(error).toMatch(/^ConfigurationError/);
    expect(error).toMatch(named);
  });

  it('stops the start if the namespace has illegal characters, which the error names', async () => {
    expect(await startError(overZooKeeper({ namespace: 'orders//eu' }))).toMatch(/^ConfigurationError.*"orders\/\/eu"/);
  });

  it('stops the start if the digest is wrong, and the error says that access is denied', async () => {
    const namespace = `nest/${clock.uuid()}/secret`;
    expect(await startError(overZooKeeper({ namespace, digest: 'me:right' }))).toBe('none');
    const error = await startError(overZooKeeper({ namespace, digest: 'me:wrong' }));
    expect(error).toMatch(/^NoAuthError: .*secret.*digest/);
  });
});

describe('a shutdown signal while the application starts', () => {
  it('ends a start that waits for a silent registry, and closes the application at once', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    const sockets: Socket[] = [];
    server.on('connection', (socket) => void sockets.push(socket));
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const somebody = (): void => {};
    process.on(SIGNAL, somebody);
    const before = process.listenerCount(SIGNAL);
    const options = {
      ...overZooKeeper({ servers: `127.0.0.1:${port}`, connectionTimeoutMs: 60_000 }),
      drainTimeoutMs: 500,
    };
    const starting = NestFactory.createApplicationContext(ElasticJobModule.forRoot(options), QUIET);
    await once(server, 'connection');
    const begun = clock.monotonicNow();

    process.emit(SIGNAL);
    await (await starting).close();

    expect(clock.monotonicNow() - begun).toBeLessThan(10_000);
    expect(process.listenerCount(SIGNAL)).toBe(before);
    process.removeListener(SIGNAL, somebody);
    for (const socket of sockets) socket.destroy();
    server.close();
  });
});
