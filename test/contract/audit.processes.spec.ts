import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { bundle } from '@test/support/bundle/bundle.js';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { Audit, JsonLinesAuditStore } from '../../libs/elastic-job/src/console/audit/index.js';

/** Real time, a minute later. */
class LaterClock extends SystemClock {
  override wallNow(): number {
    return super.wallNow() + 60_000;
  }
}

it('a change whose console was killed is shown as unknown by the next one', { timeout: 60_000 }, async () => {
  const made = await bundle({ console: 'test/contract/audit/killed-console.fixture.ts' });
  const folder = await mkdtemp(join(tmpdir(), 'audit-'));
  const [file, tree] = [join(folder, 'audit.jsonl'), join(folder, 'tree')];
  const console = spawn(process.execPath, [fileURLToPath(made.url('console')), file, tree], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    console.kill('SIGKILL');
    await rm(folder, { recursive: true });
    await made.remove();
  });
  await once(console.stdout, 'data');

  const exit = once(console, 'exit');
  console.kill('SIGKILL');
  expect(await exit).toEqual([null, 'SIGKILL']);

  expect(await readFile(tree, 'utf8')).toBe('disabled');
  expect(await outcomes(file, new SystemClock())).toEqual([['job.disable', 'alice', 'intended']]);
  expect(await outcomes(file, new LaterClock())).toEqual([['job.disable', 'alice', 'unknown']]);
});

/** The entries that the next console shows. */
async function outcomes(file: string, clock: SystemClock): Promise<readonly unknown[]> {
  const store = new JsonLinesAuditStore({ file });
  const parts = { redact: (text: string) => text, statusOf: () => undefined, log: { warn: () => {} } };
  const audit = new Audit(store, clock, parts);
  await audit.start();
  const { items } = await audit.read({}, { name: 'root' });
  await audit.stop();
  return items.map(({ action, outcome, who }) => [action, who, outcome]);
}
