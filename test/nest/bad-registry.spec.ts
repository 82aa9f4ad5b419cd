import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { ElasticJobModule, type ElasticJobModuleOptions, type ZooKeeperRegistryOptions } from '@app/elastic-job';
import { NestFactory } from '@nestjs/core';
import { describe, expect, inject, it } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { QUIET } from './support/job-application.js';

const clock = new SystemClock();
/** One of those on which Nest can shut down, and nobody else acts. */
const SIGNAL = 'SIGUSR2';

function zooKeeper(options: Partial<ZooKeeperRegistryOptions>): ElasticJobModuleOptions {
  return {
    registry: { type: 'zookeeper', servers: inject('zooKeeper'), namespace: `nest/${clock.uuid()}`, ...options },
  };
}

/** Starts and ends an application. @returns what its start said, if it was an error */
async function startError(options: ElasticJobModuleOptions): Promise<string> {
  try {
    const app = await NestFactory.createApplicationContext(ElasticJobModule.forRoot(options), QUIET);
    await app.close();
    return 'none';
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}

/** A port of this host on which nobody listens. */
async function silentPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('a registry that cannot work', () => {
  it('given an unreachable server, when it starts, then it fails after connectionTimeoutMs, naming servers and time', async () => {
    const servers = `127.0.0.1:${await silentPort()}`;
    const started = clock.monotonicNow();
    const error = await startError(zooKeeper({ servers, connectionTimeoutMs: 400 }));
    const elapsed = clock.monotonicNow() - started;
    expect(error).toMatch(/^RegistryUnavailableError/);
    expect(error).toContain(servers);
    expect(error).toContain('400');
    expect(elapsed).toBeGreaterThanOrEqual(390);
    expect(elapsed).toBeLessThan(10_000);
  });

  it.each([
    ['10.0.0.1:port', /10\.0\.0\.1:port/],
    ['10.0.0.1:99999', /99999/],
    ['', /servers/],
  ])(
    'given the server list "%s", when it starts, then it fails before connecting, naming it',
    async (servers, named) => {
      const error = await startError(zooKeeper({ servers }));
      expect(error).toMatch(/^ConfigurationError/);
      expect(error).toMatch(named);
    },
  );

  it('given a namespace with illegal characters, when it starts, then it fails, naming it', async () => {
    expect(await startError(zooKeeper({ namespace: 'orders//eu' }))).toMatch(/^ConfigurationError.*"orders\/\/eu"/);
  });

  it('given a tree of another user, when it starts with a wrong digest, then it says that access is denied', async () => {
    const namespace = `nest/${clock.uuid()}/secret`;
    expect(await startError(zooKeeper({ namespace, digest: 'me:right' }))).toBe('none');
    const error = await startError(zooKeeper({ namespace, digest: 'me:wrong' }));
    expect(error).toMatch(/^NoAuthError: .*secret.*digest/);
  });
});

describe('a shutdown signal while the application starts', () => {
  it('ends a start that waits for a registry which never answers, and the application closes at once', async () => {
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
      ...zooKeeper({ servers: `127.0.0.1:${port}`, connectionTimeoutMs: 60_000 }),
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
