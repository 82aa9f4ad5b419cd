import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ZooKeeperRegistryOptions } from '@app/elastic-job';
import { startZooKeeperServer, type TestServer } from '@test/support/faults/index.js';
import { newParent, startOwner } from './support/access.js';

const DIGEST = 'shop:canary-4711';

let server: TestServer;
beforeAll(async () => {
  server = await startZooKeeperServer({ tls: { clientAuth: 'none' } });
}, 60_000);
afterAll(() => server?.stop());

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
    const owner = await startOwner({ ...access(), servers, tls: { rejectUnauthorized: false }, digest: DIGEST });

    expect(owner.warnings()).toEqual([expect.stringContaining('goes to 127.1, and tls has rejectUnauthorized: false')]);
    expect(owner.warnings().join()).not.toContain('canary');
  });
});

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
