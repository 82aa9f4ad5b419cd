import { ElasticJob } from '@app/elastic-job';
import { SystemClock, type Timer } from '@app/elastic-job/spi';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ApplicationParts, EVERY_SECOND, rootModule } from './support/job-application.js';
import { LogLines } from './support/log-lines.js';

// Specs run in threads, and only the main thread hears signals.
vi.mock('node:worker_threads', async (original) => ({ ...(await original<object>()), isMainThread: true }));

const AFTER_MS = 5_000;

/** The timers of five seconds that hold no process. They fire when the test says so. */
class HeldClock extends SystemClock {
  readonly held = new Set<() => void>();

  override setTimer(ms: number, callback: () => void): Timer {
    const timer = super.setTimer(ms, callback);
    if (ms !== AFTER_MS) return timer;
    return {
      cancel: () => {
        this.held.delete(callback);
        timer.cancel();
      },
      unref: () => {
        this.held.add(callback);
        timer.unref?.();
      },
    };
  }

  fire(): void {
    for (const callback of this.held) callback();
  }
}

class Jobs {
  @ElasticJob(EVERY_SECOND, 1)
  run(): void {}
}

async function start(parts: Omit<ApplicationParts, 'clock'>, clock = new HeldClock()) {
  const log = new LogLines();
  const { options, ...rest } = parts;
  const root = rootModule({ ...rest, options: { ...options, clock } });
  const app = await NestFactory.createApplicationContext(root, { logger: log, abortOnError: false });
  onTestFinished(() => app.close());
  return { app, clock, log };
}

describe('SIGTERM, five seconds after the start', () => {
  beforeEach(() => void vi.stubEnv('NODE_ENV', 'development'));

  afterEach(() => {
    vi.unstubAllEnvs();
    Logger.overrideLogger(false);
  });

  it('is warned of if nobody listens to it, in one line with the remedy', async () => {
    const { clock, log } = await start({ providers: [Jobs] });

    clock.fire();

    expect(log.at('warn')).toEqual([
      'nobody listens to SIGTERM, so it ends this process in the middle of its runs; ' +
        'call app.enableShutdownHooks() in main.ts, or app.close() in a handler of your own',
    ]);
  });

  it('is not warned of with enableShutdownHooks(), or a handler of the application', async () => {
    const hooked = await start({ providers: [Jobs] });
    hooked.app.enableShutdownHooks();
    hooked.clock.fire();
    await hooked.app.close();
    const own = await start({ providers: [Jobs] });
    const listener = () => {};
    process.on('SIGTERM', listener);
    onTestFinished(() => void process.removeListener('SIGTERM', listener));
    own.clock.fire();

    expect([...hooked.log.at('warn'), ...own.log.at('warn')]).toEqual([]);
  });

  it('is not waited for by a process that has closed, runs no jobs, or is a test', async () => {
    const closed = await start({ providers: [Jobs] });
    expect(closed.clock.held.size).toBe(1);
    await closed.app.close();
    const passive = await start({ providers: [Jobs], options: { processing: false } });
    vi.stubEnv('NODE_ENV', 'test');
    const tested = await start({ providers: [Jobs] });

    expect([closed, passive, tested].map(({ clock }) => clock.held.size)).toEqual([0, 0, 0]);
  });
});
