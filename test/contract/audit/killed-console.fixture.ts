// A console that is killed while it makes a change: it says so once the intent is kept, and never ends the change.
import { writeFileSync } from 'node:fs';
import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import { Audit, type AuditIntent, JsonLinesAuditStore } from '../../../libs/elastic-job/src/console/audit/index.js';

const [, , file = '', tree = ''] = process.argv;
const audit = new Audit(new JsonLinesAuditStore({ file }), new SystemClock(), {
  redact: (text) => text,
  statusOf: () => undefined,
  log: { warn: (text) => void process.stderr.write(`${text}\n`) },
});
const intent: AuditIntent = {
  who: 'alice',
  role: 'operator',
  by: 'token',
  address: null,
  requestId: null,
  reason: null,
  action: 'job.disable',
  target: { job: 'settle-orders' },
};
await audit.start();
await audit.record(intent, async () => {
  writeFileSync(tree, 'disabled');
  process.stdout.write('made\n');
  await new Promise((resolve) => setTimeout(resolve, 600_000));
  return { result: undefined };
});
