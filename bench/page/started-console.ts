import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { BrowserContext } from 'playwright-core';

const START = ['--import', './test/support/faults/register-typescript.mjs', 'src/main.ts'];
const ADDRESS = /The console is at (http:\S+)/;
const PASSWORD = /as "admin" with (\S+)/;

/** The console of a namespace, as `npm start` starts it. */
export async function startConsoleOf(servers: string, namespace: string) {
  const child = spawn(process.execPath, START, {
    env: {
      ...process.env,
      ELASTIC_JOB_SERVERS: servers,
      ELASTIC_JOB_NAMESPACE: namespace,
      ELASTIC_JOB_ALLOW_OPEN_ACL: 'true',
      PORT: '0',
      NO_COLOR: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let told = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (told += String(part)));
  const ended = once(child, 'exit');
  while (!ADDRESS.test(told) || !PASSWORD.test(told)) {
    await Promise.race([once(child.stdout, 'data'), ended]);
    if (child.exitCode !== null) throw new Error(`The console has not started:\n${told}`);
  }
  const url = `${ADDRESS.exec(told)![1]!.replace(/\/$/, '')}/`;
  const password = PASSWORD.exec(told)![1]!;
  return {
    url,
    logIn: async (context: BrowserContext): Promise<void> => {
      const headers = { origin: new URL(url).origin };
      const data = { name: 'admin', password };
      const answer = await context.request.post(`${url}api/v1/session`, { headers, data });
      if (!answer.ok()) throw new Error(`Nobody was let in: ${await answer.text()}`);
    },
    stop: async (): Promise<void> => {
      child.kill();
      await ended;
    },
  };
}
