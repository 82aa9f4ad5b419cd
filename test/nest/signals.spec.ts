import threads from 'node:worker_threads';
import { ElasticJob } from '@app/elastic-job';
import { SystemClock, type Timer } from '@app/elastic-job/spi';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type MicroserviceOptions, Transport } from '@nestjs/microservices';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ApplicationParts, EVERY_SECOND, rootModule } from './support/job-application.js';
import { LogLines } from './support/log-lines.js';

/** The timers that hold no process. They fire when the test says so. */
class HeldClock extends SystemClock {
  readonly held = new Map<() => void, number>();

  override setTimer(ms: number, callback: () => void): Timer {
    const timer = super.setTimer(ms, callback);
    return {
      cancel: () => {
        this.held.delete(callback);
        timer.cancel();
      },
      unref: () => {
        this.held.set(callback, ms);
        timer.unref?.();
      },
    };
  }

  fire(afterMs: number): void {
    for (const [callback, ms] of this.held) if (ms === afterMs) callback();
  }
}

class Jobs {
  @ElasticJob(EVERY_SECOND, 1)
  run(): void {}
}

async function startWith(parts: Omit<ApplicationParts, 'clock'>, clock = new HeldClock()) {
  const log = new LogLines();
  const { options, ...rest } = parts;
  const root = rootModule({ ...rest, options: { ...options, clock } });
  const app = await NestFactory.createApplicationContext(root, { logger: log, abortOnError: false });
  onTestFinished(() => app.close());
  return { app, clock, log };
}

beforeEach(() => {
  vi.stubEnv('NODE_ENV', 'development');
  // Specs run in threads, and only the main thread hears signals.
  vi.spyOn(threads, 'isMainThread', 'get').mockReturnValue(true);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  Logger.overrideLogger(false);
});

describe('SIGTERM, five seconds after the start', () => {
  it('is warned of if nobody listens to it, in one line with the remedy', async () => {
    const { clock, log } = await startWith({ providers: [Jobs] });

    clock.fire(5_000);

    expect(log.at('warn')).toEqual([
      'nobody listens to SIGTERM, so it ends this process in the middle of its runs; ' +
        'call app.enableShutdownHooks() in main.ts, or app.close() in a handler of your own',
    ]);
  });

  it('is not warned of with enableShutdownHooks(), or a handler of the application', async () => {
    const hooked = await startWith({ providers: [Jobs] });
    hooked.app.enableShutdownHooks();
    hooked.clock.fire(5_000);
    await hooked.app.close();
    const own = await startWith({ providers: [Jobs] });
    const listener = () => {};
    process.on('SIGTERM', listener);
    onTestFinished(() => void process.removeListener('SIGTERM', listener));
    own.clock.fire(5_000);

    expect([...hooked.log.at('warn'), ...own.log.at('warn')]).toEqual([]);
  });

  it('is not waited for by a process that has closed, runs no jobs, or is a test', async () => {
    const closed = await startWith({ providers: [Jobs] });
    expect(closed.clock.held.size).toBe(1);
    await closed.app.close();
    const passive = await startWith({ providers: [Jobs], options: { processing: false } });
    vi.stubEnv('NODE_ENV', 'test');
    const tested = await startWith({ providers: [Jobs] });
    vi.stubEnv('NODE_ENV', 'development');
    vi.stubEnv('NODE_TEST_CONTEXT', 'child-v8');
    const testedByNode = await startWith({ providers: [Jobs] });

    const started = [closed, passive, tested, testedByNode];
    expect(started.map(({ clock }) => clock.held.size)).toEqual([0, 0, 0, 0]);
  });
});

describe('a microservice, whose hooks Nest calls twice', () => {
  it('is warned once, and waits for nothing once it is closed', async () => {
    const clock = new HeldClock();
    const log = new LogLines();
    const app = await NestFactory.createMicroservice<MicroserviceOptions>(rootModule({ options: { clock } }), {
      logger: log,
      abortOnError: false,
      transport: Transport.TCP,
      options: { port: 0 },
    });
    onTestFinished(() => app.close());
    await app.init();

    clock.fire(5_000);
    const warned = [...log.at('warn')];
    await app.close();

    expect(warned).toEqual([expect.stringMatching(/^no job: /), expect.stringMatching(/^nobody listens to SIGTERM/)]);
    expect(clock.held.size).toBe(0);
  });
});

describe('hooks that Nest has not called after 30 s', () => {
  const WAIT_MS = 30_000;

  async function hybrid() {
    const clock = new HeldClock();
    const log = new LogLines();
    const root = rootModule({ providers: [Jobs], options: { clock } });
    const app = await NestFactory.create(root, { logger: log, abortOnError: false });
    onTestFinished(() => app.close());
    app.connectMicroservice<MicroserviceOptions>({ transport: Transport.TCP, options: { port: 0 } });
    await app.startAllMicroservices();
    return { app, clock, log };
  }

  it('are warned of in a hybrid application that only starts its microservices', async () => {
    const { clock, log } = await hybrid();

    clock.fire(WAIT_MS);

    expect(log.at('warn')).toEqual([
      'ElasticJobModule was made 30 s ago, and Nest has not called its onModuleInit yet: no job runs until then; ' +
        'unless another module is still starting, call app.init() or app.listen(), ' +
        'since startAllMicroservices() alone calls no hook',
    ]);
  });

  it('are not waited for once they are called, or the application is closed', async () => {
    const started = await hybrid();
    await started.app.init();
    const closed = await hybrid();
    await closed.app.close();

    const waits = [started, closed].map(({ clock }) => [...clock.held.values()]);
    expect(waits).toEqual([[expect.any(Number)], []]);
    expect(waits.flat()).not.toContain(WAIT_MS);
  });
});
