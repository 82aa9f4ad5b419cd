import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { SchedulerRegistry } from '@nestjs/schedule';
import type { CronJob } from 'cron';
import { errorOfImport, type JobName } from '../domain/index.js';
import { JobRegistrar } from '../runtime/index.js';
import { JobEvents } from '../tracing/index.js';
import { isOfClassNamed } from './class-members.js';
import { LineLog } from './line-log.js';
import { scheduledJobsOf } from './scheduled-job.js';

/**
 * Lists the jobs of this process in `SchedulerRegistry`, under their names, if the application imports ScheduleModule.
 * This package never imports it: a second `forRoot` makes a second registry and runs every `@Cron` twice. It does not
 * load `@nestjs/schedule` either, which may be missing or not loadable, so it finds the registry by the name of its
 * class.
 */
@Injectable()
export class ScheduleListing {
  private readonly log = new LineLog();
  private readonly listed = new Map<JobName, CronJob>();
  private stopListening = (): void => {};
  private schedules: SchedulerRegistry | undefined;
  private create: ((jobName: JobName) => CronJob) | undefined;

  constructor(
    private readonly events: JobEvents,
    private readonly registrar: JobRegistrar,
    private readonly discovery: DiscoveryService,
  ) {}

  async open(): Promise<void> {
    const schedules = this.findSchedules();
    if (schedules === undefined) return;
    const create = scheduledJobsOf(await importCron());
    this.schedules = schedules;
    this.create = (jobName) => create(jobName, this.registrar);
    this.stopListening = this.events.on((event) => {
      if (event.kind === 'joined') this.list(event.jobName);
      // A job also leaves with its session, and comes back; only a removed one is no longer known.
      if (event.kind === 'left' && !this.isKnown(event.jobName)) this.unlist(event.jobName);
    });
  }

  /** Must come before @nestjs/schedule empties its registry, in `beforeApplicationShutdown`. */
  close(): void {
    this.stopListening();
    for (const jobName of this.listed.keys()) this.unlist(jobName);
  }

  private list(jobName: JobName): void {
    if (!this.schedules || !this.create || this.listed.has(jobName)) return;
    if (this.schedules.doesExist('cron', jobName)) {
      const text = `${jobName}: not listed in SchedulerRegistry, which has another cron job of that name`;
      this.log.write({ level: 'warn', text });
      return;
    }
    const job = this.create(jobName);
    this.listed.set(jobName, job);
    this.schedules.addCronJob(jobName, job);
  }

  private unlist(jobName: JobName): void {
    const isListed = this.schedules?.getCronJobs().get(jobName) === this.listed.get(jobName);
    if (isListed && this.listed.delete(jobName)) this.schedules?.deleteCronJob(jobName);
  }

  private findSchedules(): SchedulerRegistry | undefined {
    return this.discovery
      .getProviders()
      .map(({ instance }): unknown => instance)
      .find(isSchedulerRegistry);
  }

  private isKnown(jobName: JobName): boolean {
    return this.registrar.jobs.some((job) => job.jobName === jobName);
  }
}

function isSchedulerRegistry(provider: unknown): provider is SchedulerRegistry {
  return isOfClassNamed(provider, 'SchedulerRegistry');
}

/** It is installed with `@nestjs/schedule`, but some package managers hide it from others. */
async function importCron(): Promise<typeof import('cron')> {
  try {
    return await import('cron');
  } catch (error) {
    throw errorOfImport(error, 'cron', "Listing jobs in @nestjs/schedule's SchedulerRegistry");
  }
}
