import { type Clock, ElasticJobModule, type ElasticJobModuleOptions } from '@app/elastic-job';
import { SystemClock } from '@app/elastic-job/spi';
import { InstanceClock } from '@app/elastic-job/testing';
import { Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { onTestFinished } from 'vitest';

interface Process {
  /** Address of its server. */
  readonly host: string;
  /** How far its clock is ahead. */
  readonly aheadMs: number;
  /** Release of its application. @default that of the workspace */
  readonly version?: string;
}

/** The clock of a process on another host. */
class OtherClock extends InstanceClock {
  constructor(
    private readonly system: Clock,
    private readonly process: Process,
  ) {
    super(system);
  }

  override wallNow(): number {
    return this.system.wallNow() + this.process.aheadMs;
  }

  override hostAddress(): string {
    return this.process.host;
  }
}

@Module({})
class InstanceModule {}

/** An instance on another server than that of the console, until the test has finished. @returns its application */
export async function startOther(
  registry: ElasticJobModuleOptions['registry'],
  jobs: readonly Type<object>[],
  process: Process,
) {
  const imports = [
    ElasticJobModule.forRoot({
      registry,
      version: process.version,
      clock: new OtherClock(new SystemClock(), process),
      drainTimeoutMs: 30_000,
    }),
  ];
  const module = { module: InstanceModule, imports, providers: [...jobs] };
  const app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  let closing: Promise<void> | undefined;
  /** Ends it in order: what it runs goes on to its end. */
  const leave = () => (closing ??= app.close());
  onTestFinished(leave);
  return { leave };
}
