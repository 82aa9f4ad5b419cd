// A console with its page, over jobs in a registry in memory, as `npm start` would show them. It sends its URL and the
// cookie of somebody who is logged in once its index is full, and changes items of the wide job when it is told to.
import { randomUUID } from 'node:crypto';
import { hashPassword } from '@app/elastic-job/console';
import { MemoryRegistry } from '@app/elastic-job/registry';
import { SystemClock } from '@app/elastic-job/spi';
import { recordOf } from '@test/support/unit/console-jobs.js';
import { NestFactory } from '@nestjs/core';
import { ConsoleModule } from '../../src/console/console.module.js';
import { CONSOLE_PATH } from '../../src/console/root.controller.js';
import { plantAll } from '../console/planted.js';
import { MAP, MAP_ITEMS, plantMap } from './planted-map.js';

const CHANGES_PER_SECOND = 20;
const NAMESPACE = 'bench';

const [, , jobs = ''] = process.argv;
const clock = new SystemClock();
const server = new MemoryRegistry(clock);
const center = server.center({ namespace: NAMESPACE, clock, sessionTimeoutMs: 60_000, requestTimeoutMs: 60_000 });
await center.connect();
await plantAll(center, Number(jobs));
await plantMap(center);

const person = { name: 'otto', password: randomUUID() };
const users = [{ name: person.name, role: 'operator', password: await hashPassword(person.password) }] as const;
const registry = { type: 'memory', server, namespace: NAMESPACE } as const;
const app = await NestFactory.create(ConsoleModule.of({ registry, clock }, { auth: { users } }), { logger: ['error'] });
await app.listen(0, '127.0.0.1');
const origin = await app.getUrl();
const url = `${origin}${CONSOLE_PATH}`;
const cookie = await logIn();
while (!(await isFull())) await clock.sleep(500);
process.on('message', ({ change }: { readonly change: number }) => void changeItems(change));
process.on('disconnect', () => process.exit());
process.send!({ url, cookie });

async function logIn(): Promise<string> {
  const headers = { origin, 'content-type': 'application/json' };
  const answer = await fetch(`${url}api/v1/session`, { method: 'POST', headers, body: JSON.stringify(person) });
  if (!answer.ok) throw new Error(`Nobody was let in: ${await answer.text()}`);
  return answer.headers.getSetCookie()[0]!.split(';')[0]!;
}

/** True if the console has read every job. */
async function isFull(): Promise<boolean> {
  const answer = await fetch(`${url}api/v1/jobs?limit=1`, { headers: { cookie } });
  const { indexed, total }: { indexed: number; total: number } = JSON.parse(await answer.text());
  return total > 0 && indexed === total;
}

async function changeItems(seconds: number): Promise<void> {
  for (let change = 0; change < CHANGES_PER_SECOND * seconds; change += 1) {
    const item = (change * 37) % MAP_ITEMS;
    void center.set(`/${MAP}/sharding/${item}/record`, recordOf(change % 5 === 0 ? 'failed' : 'succeeded', Date.now()));
    await clock.sleep(1_000 / CHANGES_PER_SECOND);
  }
}
