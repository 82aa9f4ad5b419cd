import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ZooKeeperRegistryOptions } from '@app/elastic-job';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { judgeReadiness } from '../../libs/elastic-job/src/health/index.js';
import { ZooKeeperRegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';
import { bundleConnectionWorker } from '@test/support/bundle/bundle.js';
import { startZooKeeperServer, type TestServer } from '@test/support/faults/index.js';
import { newParent, startOwner } from './support/access.js';

const DIGEST = 'shop:canary-4711';

const WAIT = { timeout: 20_000 };
const clock = new SystemClock();

let server: TestServer;
let worker: Awaited<ReturnType<typeof bundleConnectionWorker>>;
beforeAll(async () => {
  worker = await bundleConnectionWorker();
  server = await startZooKeeperServer({ tls: { clientAuth: 'none' } });
}, 60_000);
afterAll(async () => {
  await server?.stop();
  await worker?.remove();
});

describe('a server whose certificate no known authority has signed', () => {
  it('gets no session where TLS is required, also if the environment turns checks off', async () => {
    setVariable('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const starting = startOwner({ ...access(), digest: DIGEST, requireTls: true, connectionTimeoutMs: 2_000 });

    await expect(starting).rejects.toThrow('unable to verify the first certificate');
  });

  it.each([
    ['rejectUnauthorized: false', { rejectUnauthorized: false }],
    ['a checkServerIdentity of its own', { checkServerIdentity: () => undefined }],
  ])('gets no digest where TLS is required and the options have %s', async (what, tls) => {
    const starting = startOwner({ ...access(), tls, digest: DIGEST, requireTls: true });

    await expect(starting).rejects.toThrow(what);
    await expect(starting).rejects.not.toThrow('canary');
  });

  it('is warned of if it gets a digest all the same', async () => {
    // A short form of 127.0.0.1, which is not known as this host before it is resolved.
    const servers = server.tls!.connect.replace('127.0.0.1', '127.1');
    const tls = { rejectUnauthorized: false };
    const owner = await startOwner({ ...access(), servers, tls, digest: DIGEST }, { processing: false });

    expect(owner.warnings()).toEqual([expect.stringContaining('goes to 127.1, and tls has rejectUnauthorized: false')]);
    expect(owner.warnings().join()).not.toContain('canary');
  });
});

describe.each(['in-process', 'worker-thread'] as const)('a client certificate that was renewed, %s', (connection) => {
  it.each(['files', 'a function'] as const)('is used by the next connection, from %s', async (from) => {
    const { authority, asks, registry } = await clientWith(from, connection);
    const center = new ZooKeeperRegistryCenter({ ...registry, sessionTimeoutMs: 2_000 }, clock);
    onTestFinished(() => center.close());
    const warnings: string[] = [];
    center.onWarning((message) => void warnings.push(message));
    await center.connect();
    await authority.install('expired');

    await asks.restart();
    await vi.waitFor(() => expect(warnings.join()).toContain('the certificate of this client has expired'), WAIT);
    await vi.waitFor(
      () => expect(center.session.problem).toContain('the certificate of this client has expired'),
      WAIT,
    );
    expect(center.session.state).toBe('LOST');
    await authority.install('renewed');

    await vi.waitFor(() => expect(center.session).toMatchObject({ state: 'RECONNECTED' }), WAIT);
    expect(center.session.problem).toBeUndefined();
    expect(await center.exists('/')).toBeDefined();
  });
});

describe('a session that cannot be had again', () => {
  it('has its reason in readiness and in one warning', async () => {
    const own = await startZooKeeperServer({ settings: { tickTime: 200 } });
    const registry = { servers: own.connect, namespace: newParent(), sessionTimeoutMs: 2_000 };
    const owner = await startOwner(registry, { processing: false });
    await own.stop();

    await vi.waitFor(() => expect(owner.warnings()).toHaveLength(1), WAIT);

    expect(owner.warnings()[0]).toMatch(/^there is no session with the registry: connect ECONNREFUSED/);
    const readiness = judgeReadiness(owner.app.get(ElasticJobRuntime).status());
    expect(JSON.stringify(readiness)).toContain('ECONNREFUSED');
  });
});

/** A server that asks for client certificates, and a client whose certificate can be replaced. */
async function clientWith(from: 'files' | 'a function', connection: 'in-process' | 'worker-thread') {
  const asks = await startZooKeeperServer({ tls: { clientAuth: 'need' }, settings: { tickTime: 200 } });
  const folder = await mkdtemp(join(tmpdir(), 'tls-'));
  onTestFinished(async () => {
    await asks.stop();
    await rm(folder, { recursive: true });
  });
  const { ca, cert, key, connect } = asks.tls!;
  const files = { certFile: join(folder, 'client.pem'), keyFile: join(folder, 'client.key') };
  const certificates = { expired: await expiredCertificate(folder), renewed: { cert, key } };
  const install = async (which: keyof typeof certificates) => {
    await writeFile(files.certFile, certificates[which].cert);
    await writeFile(files.keyFile, certificates[which].key);
  };
  await install('renewed');
  const read = async () => ({ ca, cert: await readFile(files.certFile), key: await readFile(files.keyFile) });
  const registry = {
    servers: connect,
    namespace: newParent(),
    tls: from === 'files' ? { ca, ...files } : read,
    connection,
    workerUrl: connection === 'worker-thread' ? worker.url : undefined,
  };
  return { asks, authority: { install }, registry };
}

async function expiredCertificate(folder: string): Promise<{ readonly cert: string; readonly key: string }> {
  const [cert, key] = [join(folder, 'expired.pem'), join(folder, 'expired.key')];
  const request = ['req', '-x509', '-nodes', '-newkey', 'rsa:2048', '-days', '2', '-subj', '/CN=client'];
  await promisify(execFile)('faketime', ['2020-01-01', 'openssl', ...request, '-keyout', key, '-out', cert]);
  return { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') };
}

function access(): Pick<ZooKeeperRegistryOptions, 'servers' | 'tls'> & { readonly namespace: string } {
  return { servers: server.tls!.connect, namespace: newParent(), tls: {} };
}

function setVariable(name: string, value: string): void {
  const before = process.env[name];
  process.env[name] = value;
  onTestFinished(() => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  });
}
