import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ElasticJob, ElasticJobModule, ElasticJobTemplate } from '@app/elastic-job';
import { ElasticJobConsoleModule, type ElasticJobConsoleOptions, newToken } from '@app/elastic-job/console';
import { ConsoleLogger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type Block, readBlocks } from './blocks/blocks.js';

const LIMIT_MS = 60_000;
const blocks = readBlocks('docs/operate/console.md');
const run = promisify(execFile);

class SettlingJobs {
  @ElasticJob({
    name: 'settle-orders',
    cron: '0 0 2 * * ?',
    timeZone: 'Europe/Paris',
    shardingTotalCount: 3,
    shardingItemParameters: '0=EU,1=US,2=ASIA',
    description: '[finance] settles orders',
  })
  settle(): void {}

  @ElasticJobTemplate('report')
  report(): void {}
}

@Module({})
class RootModule {}

/** Keeps the lines of an application's log. */
class Lines extends ConsoleLogger {
  readonly lines: string[] = [];

  override log(...line: unknown[]): void {
    this.lines.push(String(line[0]));
  }

  override warn(...line: unknown[]): void {
    this.log(...line);
  }
}

/** An application with a console and a job. */
async function start(options?: ElasticJobConsoleOptions) {
  const logger = new Lines();
  const imports = [
    ElasticJobModule.forRoot({ registry: { type: 'memory' } }),
    ElasticJobConsoleModule.forRoot(options),
  ];
  const root = { module: RootModule, imports, providers: [SettlingJobs] };
  const app = await NestFactory.create(root, { logger, abortOnError: false });
  onTestFinished(() => app.close());
  await app.listen(0, '127.0.0.1');
  return { lines: logger.lines, origin: await app.getUrl() };
}

/** Runs commands of the page against an application. @returns the answers, which are JSON or streams, as lines */
async function send(text: string, origin: string, env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const cwd = await mkdtemp(join(tmpdir(), 'console-page-'));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const program = text
    .replaceAll('http://127.0.0.1:3000', origin)
    // Each answer is a line, and no stream goes on.
    .replaceAll(/^(?=ask |curl )/gm, 'echo; ')
    .replace('--no-buffer', '--no-buffer --max-time 3 || true');
  const { stdout } = await run('bash', ['-euc', program], { cwd, env: { ...process.env, ...env } });
  return stdout.split('\n').filter((line) => line !== '');
}

it('the page of the console shows what its requests are answered', { timeout: LIMIT_MS }, async () => {
  const { sha256, token } = newToken();
  const auth = { tokens: [{ name: 'night-shift', role: 'operator', sha256 }] } as const;
  const { origin } = await start({ auth, requireReason: true });
  const env = { CONSOLE_TOKEN: token };
  const [prelude, ...night] = blocks.filter(({ section }) => section === 'At three in the morning');
  const ask = (text: string) => send(`${prelude!.text}\n${text}`, origin, env);
  await vi.waitFor(async () => {
    expect((await ask("ask GET '/jobs/settle-orders'")).join()).toMatch(/"instances":1,.*"leader":"/);
  }, 20_000);
  await ask('ask POST /jobs/settle-orders/items/2/disable -d \'{"reason":"OPS-1"}\'');
  await vi.waitFor(async () => {
    expect((await ask("ask GET '/jobs?attention=any'")).join()).toMatch(/"matching":1/);
  }, 20_000);

  const unlike: unknown[] = [];
  let told: readonly string[] = [];
  let before = '';
  for (const { language, line, text } of night) {
    if (language === 'sh') {
      told = await ask(before + text);
      // The variable of a block is there in the next one.
      if (text.startsWith('ETAG=')) before = text.split('\n')[0] + '\n';
      continue;
    }
    const [shown, answer]: unknown[] = [JSON.parse(text), JSON.parse(told.at(-1)!)];
    if (!isLike(answer, shown)) unlike.push({ line, answer, shown });
  }

  expect(unlike).toEqual([]);
  expect(await ask("ask GET '/jobs/settle-orders'")).toEqual([expect.stringContaining('"cron":"0 30 2 * * ?"')]);
});

it('the page of the console creates a job, and removes it', { timeout: LIMIT_MS }, async () => {
  const { sha256, token } = newToken();
  const { origin } = await start({ auth: { tokens: [{ name: 'ada', role: 'admin', sha256 }] } });
  const commands = [blockOf('At three in the morning'), blockOf('Create and remove')].map(({ text }) => text);

  const answers = await send(commands.join(''), origin, { CONSOLE_TOKEN: token });

  expect(answers.map((answer): unknown => JSON.parse(answer))).toEqual([
    { audit: expect.any(String), note: null },
    { audit: expect.any(String), instances: expect.any(Array) },
    { audit: expect.any(String), note: null },
  ]);
});

it('the page of the console logs in with the printed password, and out', { timeout: LIMIT_MS }, async () => {
  const { lines, origin } = await start();
  const [, password = ''] = /log in from this host as "admin" with (\S+) until/.exec(lines.join('\n')) ?? [];
  const { text } = blockOf('Without `auth`');

  const answers = await send(text.replace('read -rs PASSWORD', `PASSWORD='${password}'`), origin, {});

  expect(password).toMatch(/^[\w-]{22}$/);
  expect(lines.filter((line) => /the audit/i.test(line))).toEqual([expect.stringMatching(/audit is kept in memory/)]);
  expect(answers.slice(0, 2).map((answer): unknown => JSON.parse(answer))).toEqual([
    expect.objectContaining({ name: 'admin', role: 'admin', by: 'page' }),
    expect.objectContaining({ registry: expect.any(Object) }),
  ]);
});

function blockOf(section: string): Block {
  return blocks.find((block) => block.section === section && block.language === 'sh')!;
}

/** True if an answer has the fields of the one that is shown. A list may be empty, and a value may be null. */
function isLike(answer: unknown, shown: unknown): boolean {
  if (answer === null || shown === null) return true;
  if (Array.isArray(answer) && Array.isArray(shown)) return answer.every((one) => isLike(one, shown[0]));
  if (typeof answer !== 'object' || typeof shown !== 'object') return typeof answer === typeof shown;
  const [given, expected] = [new Map(Object.entries(answer)), new Map(Object.entries(shown))];
  return given.size === expected.size && [...given].every(([name, value]) => isLike(value, expected.get(name)));
}
