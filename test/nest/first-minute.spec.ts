import { mkdir, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { VirtualClock } from '@app/elastic-job/testing';
import { ConsoleLogger, type INestApplication, Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { shared } from '../../libs/elastic-job/src/copies/index.js';
import { filesUpTo, readBlocks } from '../docs/blocks/blocks.js';
import { whileTimePasses } from './support/job-application.js';

/** Lies below the workspace, so that packages are found, but where no tool looks for sources. */
const FOLDER = `dist/first-minute-${process.pid}`;
const SETTINGS = {
  'tsconfig.json': '{ "compilerOptions": { "experimentalDecorators": true, "emitDecoratorMetadata": true } }',
  'src/time.ts': 'export const setTimeout = (ms, _value, { signal }) => globalThis.firstMinute.sleep(ms, signal);',
};
const MINUTE_MS = 60_000;

// As in a new process: Nest keeps the logger of the last application, and the package the classes of other specs.
beforeEach(() => {
  Logger.overrideLogger(new ConsoleLogger());
  shared('ClassesWithJobs', { refs: new Set<unknown>() }).refs.clear();
});
afterEach(async () => {
  Logger.overrideLogger(false);
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  await rm(FOLDER, { recursive: true, force: true });
});

it("of README's first job has a line for the session and one for the job, in Nest's own log, and no more", async () => {
  const clock = new VirtualClock({ wall: Date.parse('2026-01-01T00:00:01Z') });
  const written = listen();

  const app = await startFirstJob(clock, written);
  await clock.advance(MINUTE_MS);
  await whileTimePasses(clock, app.close());

  const lines = usual(written());
  expect(lines.filter((line) => line.endsWith(' begun, NORMAL_TRIGGER'))).toHaveLength(3 * 12);
  // Classes that other specs have loaded in this process are named as well.
  const others = lines.filter((line) => !line.includes('[Reports]') && !line.includes('classes with jobs'));
  await expect(`${others.join('\n')}\n`).toMatchFileSnapshot('./first-minute.txt');
});

/** Runs the files of README's section as they are, but for their clock and their port. */
async function startFirstJob(clock: VirtualClock, written: () => string): Promise<INestApplication> {
  vi.stubEnv('PORT', '0');
  vi.stubGlobal('firstMinute', clock);
  await mkdir(`${FOLDER}/src`, { recursive: true });
  const blocks = [...filesUpTo(readBlocks('README.md'), 'First job')];
  const files = { ...SETTINGS, ...Object.fromEntries(blocks.map(([file, { text }]) => [file, onClock(text)])) };
  for (const [file, text] of Object.entries(files)) await writeFile(`${FOLDER}/${file}`, text);
  const create = vi.spyOn(NestFactory, 'create');
  await import(resolve(FOLDER, 'src/main.ts'));
  const app: INestApplication = await create.mock.results[0]!.value;
  while (!written().includes('successfully started')) await clock.advance(10);
  // Nest logs this before it listens. Meanwhile the clock stands still.
  await vi.waitFor(() => app.getUrl());
  return app;
}

function onClock(text: string): string {
  return text
    .replace("'node:timers/promises'", "'./time.js'")
    .replace("registry: { type: 'memory' }", '$&, clock: globalThis.firstMinute');
}

/** Keeps from the terminal, and returns, what is written from now on. */
function listen(): () => string {
  const written: string[] = [];
  const keep = (text: string | Uint8Array): boolean => {
    written.push(String(text));
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(keep);
  vi.spyOn(process.stderr, 'write').mockImplementation(keep);
  return () => written.join('');
}

/** The lines of Nest's log without what differs between runs. */
function usual(log: string): readonly string[] {
  const lines = stripVTControlCharacters(log).split('\n').filter(Boolean);
  return lines.map((line) =>
    line
      .replace(/^\[Nest\] \d+ {2}- .{8,30}[AP]M +/, '')
      .replace(/ \+\d+ms$/, '')
      .replace(/session \w+/, 'session (id)')
      .replaceAll(/\S+@-@\w+-\w+/g, '(instance)'),
  );
}
