import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { ZooKeeperRegistryOptions } from '@app/elastic-job';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { ZooKeeperRegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { bundleConnectionWorker } from '@test/support/bundle/bundle.js';
import { startZooKeeperServer, type TestServer } from '@test/support/faults/index.js';
import { newParent, startOwner } from './support/access.js';
import { until } from './support/attack.js';

const PASSWORD = 'canary-4711';
const SASL = { username: 'shop', password: PASSWORD };
const JOB = {
  cron: '0 0 0 1 1 ? 2199',
  shardingTotalCount: 1,
  type: 'HTTP',
  props: { 'http.uri': 'http://127.0.0.1:1/', 'http.method': 'POST' },
};

const clock = new SystemClock();
let directory: string;
let jaas: string;
let server: TestServer;
let worker: Awaited<ReturnType<typeof bundleConnectionWorker>>;
beforeAll(async () => {
  worker = await bundleConnectionWorker();
  directory = await mkdtemp(join(tmpdir(), 'jaas-'));
  jaas = join(directory, 'jaas.conf');
  await writeJaas(PASSWORD);
  server = await startZooKeeperServer({
    tls: { clientAuth: 'need' },
    settings: {
      'authProvider.sasl': 'org.apache.zookeeper.server.auth.SASLAuthenticationProvider',
      'enforce.auth.enabled': true,
      'enforce.auth.schemes': 'sasl',
    },
    jvmFlags: [`-Djava.security.auth.login.config=${jaas}`],
  });
}, 60_000);
afterAll(async () => {
  await server?.stop();
  await worker?.remove();
  await rm(directory, { recursive: true });
});

describe.each(['in-process', 'worker-thread'] as const)('servers that ask for SASL, asked %s', (connection) => {
  const registry = (): Partial<ZooKeeperRegistryOptions> & { namespace: string } => ({
    servers: server.connect,
    namespace: newParent(),
    connection,
    workerUrl: connection === 'worker-thread' ? worker.url : undefined,
  });

  it('end the start of a client without credentials, or with a digest alone, at once', async () => {
    for (const credentials of [{}, { digest: `shop:${PASSWORD}` }]) {
      const starting = startOwner({ ...registry(), ...credentials, connectionTimeoutMs: 60_000 });
      await expect(starting).rejects.toMatchObject({ code: 'AUTHENTICATION' });
      await expect(starting).rejects.toThrow('the servers ask for SASL');
    }
  });

  it('end the start of a client with a wrong password at once, and do not learn the right one', async () => {
    const sasl = { username: 'shop', password: 'canary-guess' };
    const starting = startOwner({ ...registry(), sasl, connectionTimeoutMs: 60_000 });
    await expect(starting).rejects.toMatchObject({ code: 'AUTHENTICATION' });
    await expect(starting).rejects.toThrow('refused the username or the password of SASL');
    await expect(starting).rejects.not.toThrow('canary');
  });

  it('let a client in that knows its password, and its tree is its own, also after a reconnect', async () => {
    const options = registry();
    const owner = await startOwner({ ...options, sasl: SASL }, { jobs: { settle: JOB } });
    const center = new ZooKeeperRegistryCenter({ servers: server.connect, ...options, sasl: SASL }, clock);
    await center.connect();

    expect(await center.owners!.ownerOf('/settle')).toMatchObject({ others: undefined });
    expect(await owner.statistics.getJobBriefInfo('settle')).toMatchObject({ status: 'OK' });
    const back = new Promise((resolve) => center.onSession(({ state }) => state === 'RECONNECTED' && resolve(state)));
    await server.restart();
    await back;
    expect(await center.exists('/settle/config')).toBeDefined();
    await center.close();
  });
});

describe('a client certificate beside SASL', () => {
  it('owns the nodes that its client has made', async () => {
    const { connect, ca, cert, key } = server.tls!;
    const registry = { servers: connect, namespace: newParent(), sasl: SASL, tls: { ca, cert, key } };
    const first = await startOwner(registry, { jobs: { settle: JOB } });
    await first.app.close();
    const again = await startOwner(registry, { jobs: { settle: JOB } });
    expect(again.warnings()).toEqual([]);
  });
});

describe('the password of SASL and the key of TLS', () => {
  it('are hidden in an inspection of a connected client', async () => {
    const { connect, ca, cert, key } = server.tls!;
    const tls = { ca, cert, key };
    const center = new ZooKeeperRegistryCenter({ servers: connect, namespace: newParent(), sasl: SASL, tls }, clock);
    await center.connect();
    const shown = inspect(center, { depth: 10 });
    await center.close();
    expect(shown).not.toContain('canary');
    expect(shown).not.toContain('PRIVATE KEY');
  });
});

describe('a password that the servers do not know any more', () => {
  it('is reported once, while this client keeps trying', async () => {
    const center = new ZooKeeperRegistryCenter(
      { servers: server.connect, namespace: newParent(), sasl: SASL, sessionTimeoutMs: 60_000 },
      clock,
    );
    await center.connect();
    const warnings: string[] = [];
    center.onWarning((message) => void warnings.push(message));
    await writeJaas('another');
    await server.restart();
    await until(() => warnings.length > 0);
    await writeJaas(PASSWORD);
    const back = new Promise((resolve) => center.onSession(({ state }) => state === 'RECONNECTED' && resolve(state)));
    await server.restart();
    await back;
    await center.close();
    expect(warnings).toEqual([expect.stringContaining('refused the username or the password of SASL')]);
  });
});

async function writeJaas(password: string): Promise<void> {
  await writeFile(
    jaas,
    `Server {\n  org.apache.zookeeper.server.auth.DigestLoginModule required\n  user_shop="${password}";\n};\n`,
  );
}
