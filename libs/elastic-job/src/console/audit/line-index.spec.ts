import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entryAt } from '@test/contract/audit/audit.contract.js';
import { SystemClock } from '../../clock/index.js';
import { expect, it, onTestFinished } from 'vitest';
import { AuditFile } from './audit-file.js';
import { entryLine } from './audit-line.js';
import { LineIndex } from './line-index.js';

const TARGET = { job: 'settle-orders' };

it('knows the last switch also if another process begins a new file while it looks', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'audit.jsonl');
  const file = new AuditFile(path, 4_096, new SystemClock());
  writeFileSync(path, entryLine(entryAt(1)));
  let looks = 0;
  /** The file, which is full right before the second look at its name. */
  const racing = {
    get path() {
      looks += 1;
      if (looks === 3) {
        renameSync(path, `${path}.20300101T000000000Z-00000000`);
        writeFileSync(path, entryLine(entryAt(3, { action: 'job.enable', target: TARGET })));
      }
      return path;
    },
    fullFiles: () => file.fullFiles(),
  };
  const index = new LineIndex(racing);
  await index.catchUp();
  appendFileSync(path, entryLine(entryAt(2, { action: 'job.disable', target: TARGET })));
  // As many looks as one of them takes.
  looks = 1;

  for (let time = 0; time < 3; time += 1) await index.catchUp();

  expect(index.lastSwitch(TARGET)).toMatchObject({ action: 'job.enable' });
});
