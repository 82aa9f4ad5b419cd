import {
  ElasticJobModule,
  type ElasticJobModuleOptions,
  type JobEvent,
  JobEvents,
  type SettledOutcome,
} from '@app/elastic-job';
import { VirtualClock } from '@app/elastic-job/testing';
import { type INestApplicationContext, Module, type ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { onTestFinished } from 'vitest';

export const EVERY_SECOND = '* * * * * ?';

/** No log lines, and a failed start rejects instead of ending the process. */
export const QUIET = { logger: false, abortOnError: false } as const;

/** Parts of an application, beside the jobs' module. */
export interface ApplicationParts extends ModuleMetadata {
  readonly options?: ElasticJobModuleOptions;
  /** A clock for applications that live at the same time. @default a clock of its own */
  readonly clock?: VirtualClock;
}

@Module({})
class RootModule {}

/** A module like any user's root module, over an embedded registry and a clock that the test moves. */
export function rootModule({ options, clock = new VirtualClock(), imports = [], ...metadata }: ApplicationParts) {
  return { module: RootModule, ...metadata, imports: [ElasticJobModule.forRoot({ clock, ...options }), ...imports] };
}

/** A running application and the results of its jobs. It is closed when the test has finished. */
export class JobApplication<App extends INestApplicationContext = INestApplicationContext> {
  readonly events: JobEvent[] = [];
  private closing: Promise<void> | undefined;

  constructor(
    readonly app: App,
    readonly clock: VirtualClock,
  ) {
    app.get(JobEvents).on((event) => void this.events.push(event));
    onTestFinished(() => whileTimePasses(clock, this.close()));
  }

  /** Closes it, once. */
  close(): Promise<void> {
    this.closing ??= this.app.close();
    return this.closing;
  }

  /** Moves to the next second, and waits for everything that starts there to end. */
  async tick(): Promise<void> {
    await this.clock.advance(1_000);
  }

  /** The outcome of each run of an item so far: `[item, outcome]`. */
  get outcomes(): [number, SettledOutcome][] {
    return this.events.flatMap((event) => (event.kind === 'settled' ? [[event.item, event.outcome]] : []));
  }
}

/** Starts a standalone application. @throws the error of its start */
export async function startJobs({ clock = new VirtualClock(), ...parts }: ApplicationParts): Promise<JobApplication> {
  const app = await whileTimePasses(
    clock,
    NestFactory.createApplicationContext(rootModule({ ...parts, clock }), QUIET),
  );
  return new JobApplication(app, clock);
}

/** Start and close wait on timers, so this lets time pass until they are done. */
export async function whileTimePasses<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  const state = { isSettled: false };
  const settle = (): void => {
    state.isSettled = true;
  };
  work.then(settle, settle);
  while (!state.isSettled) await clock.advance(10);
  return work;
}
