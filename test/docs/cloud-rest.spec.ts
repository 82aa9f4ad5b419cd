import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SqlHistory } from '@app/elastic-job/tracing/sql';
import { SystemClock } from '@app/elastic-job/spi';
import { MemoryTaskCluster } from '@app/elastic-job/testing';
import { SwitchedSqlite } from '@test/support/databases/switched-sqlite.js';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startRest, TOKEN } from '../nest/support/cloud-rest-application.js';
import { type Block, readBlocks } from './blocks/blocks.js';

const PAGE = 'docs/cloud/rest.md';
const run = promisify(execFile);

it('answers the requests of the page on Cloud’s REST as the page says', async () => {
  const [prelude, ...blocks] = readBlocks(PAGE).filter(({ language }) => ['sh', 'json'].includes(language));
  const { ask, url } = await startScheduler();
  const send = async ({ text }: Block) => {
    const program = `${prelude!.text}\nURL=${url}\n${text.replaceAll(/^(ask|curl) /gm, 'echo; $1 ')}`;
    const { stdout } = await run('bash', ['-euc', program], { env: { ...process.env, CLOUD_REST_TOKEN: TOKEN } });
    return stdout.split('\n').filter((line) => line !== '');
  };

  const unlike: unknown[] = [];
  for (const [index, block] of blocks.entries()) {
    if (block.language !== 'sh') continue;
    const answers = await (block.text.includes('/trigger') ? untilTaken(() => send(block)) : send(block));
    if (block.text.includes('ask POST /api/job/trigger')) await untilBothRun(ask);
    const next = blocks[index + 1];
    const shown: unknown = next?.language === 'json' ? JSON.parse(next.text) : true;
    const answer: unknown = JSON.parse(answers.at(-1)!);
    if (!isLike(answer, shown)) unlike.push({ line: block.line, answer, shown });
  }

  expect(unlike).toEqual([]);
});

/** A job can be triggered once a scheduler has it. */
function untilTaken(send: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const taken = async () => {
    const answers = await send();
    if (answers[0] !== 'true') throw new Error(answers[0]);
    return answers;
  };
  return vi.waitFor(taken, { timeout: 10_000, interval: 100 });
}

type Ask = Awaited<ReturnType<typeof startRest>>['ask'];

async function untilBothRun(ask: Ask): Promise<void> {
  const both = async () => expect((await ask('GET', '/api/job/tasks/running')).answer).toHaveLength(2);
  await vi.waitFor(both, { timeout: 10_000, interval: 50 });
}

/** A scheduler with a history, whose tasks run until they are told to end. */
async function startScheduler() {
  const sqlite = new SwitchedSqlite();
  onTestFinished(() => sqlite.db.destroy());
  const tasks = new MemoryTaskCluster({ clock: new SystemClock() });
  tasks.script('city-report', ({ clock, signal }) => clock.sleep(600_000, signal));
  const tracing = [new SqlHistory(sqlite.db, { gatherMs: 1 })];
  const { app, ask } = await startRest({ jobs: { tracing }, cloud: { backend: tasks.backend('a') } });
  return { ask, url: await app.getUrl() };
}

/** True if an answer has the fields of the one that is shown. A list may be empty. A switch may be on or off. */
function isLike(answer: unknown, shown: unknown): boolean {
  if (Array.isArray(answer) && Array.isArray(shown)) return answer.every((one) => isLike(one, shown[0]));
  if (typeof answer !== 'object' || typeof shown !== 'object') return typeof answer === typeof shown;
  const [given, expected] = [new Map(Object.entries(answer ?? {})), new Map(Object.entries(shown ?? {}))];
  // A run that is under way has none.
  if (!given.has('completeTime')) expected.delete('completeTime');
  return given.size === expected.size && [...given].every(([name, value]) => isLike(value, expected.get(name)));
}
