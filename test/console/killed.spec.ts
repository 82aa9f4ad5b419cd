import { JsonLinesAuditStore } from '@app/elastic-job/console';
import { startFaultProxy } from '@test/support/faults/fault-proxy.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { AUTH, startConsole, TOKENS } from './support/console-application.js';

const servers = await sharedZooKeeper();
const HOOKS = './test/support/faults/register-typescript.mjs';

/** Real time, more than a minute later. */
class LaterClock extends SystemClock {
  override wallNow(): number {
    return super.wallNow() + 61_000;
  }
}

it('a change whose console was killed in it is shown as unknown by the next one', { timeout: 90_000 }, async () => {
  const namespace = `console/${randomUUID()}`;
  const over = (list: string) => ({
    registry: { type: 'zookeeper', servers: list, namespace, allowOpenAcl: true } as const,
  });
  const folder = await mkdtemp(join(tmpdir(), 'console-'));
  const file = join(folder, 'audit.jsonl');
  const proxy = await startFaultProxy(Number(servers.split(':')[1]));
  onTestFinished(async () => {
    await proxy.stop();
    await rm(folder, { recursive: true });
  });
  const { ask: askLive } = await startConsole({ options: over(servers) });
  const { sha256 } = AUTH.tokens[2];
  const child = spawn(
    process.execPath,
    ['--import', HOOKS, 'test/console/killed.fixture.ts', proxy.connect, namespace, file, sha256],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exit = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  const [port]: Buffer[] = await once(child.stdout, 'data');

  // The intent is kept, and the registry's answer does not come.
  proxy.blackhole('toClient');
  const change = fetch(`http://127.0.0.1:${String(port).trim()}/elastic-job/api/v1/jobs/settle-orders/disable`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKENS.admin}`, 'content-type': 'application/json' },
    body: '{"reason":"INC-9"}',
  });
  change.catch(() => {});
  await vi.waitFor(async () => expect(await readFile(file, 'utf8')).toContain('job.disable'), 10_000);
  child.kill('SIGKILL');
  expect(await exit).toEqual([null, 'SIGKILL']);
  await expect(change).rejects.toThrow('fetch failed');

  const shownBy = async (clock: SystemClock) => {
    const { ask, close } = await startConsole({
      options: { ...over(servers), processing: false, clock },
      providers: [],
      console: { audit: new JsonLinesAuditStore({ file }) },
    });
    const { items } = (await ask('GET', '/audit?action=job.disable')).json;
    await close();
    return items;
  };
  const entry = { action: 'job.disable', who: 'alice', reason: 'INC-9', target: { job: 'settle-orders' } };
  expect(await shownBy(new SystemClock())).toMatchObject([{ ...entry, outcome: 'intended' }]);
  expect(await shownBy(new LaterClock())).toMatchObject([{ ...entry, outcome: 'unknown' }]);
  expect((await askLive('GET', '/jobs/settle-orders')).status).toBe(200);
});
