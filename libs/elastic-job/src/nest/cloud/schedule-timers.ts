import type { DiscoveryService } from '@nestjs/core';
import type { SchedulerRegistry } from '@nestjs/schedule';
import { isOfClassNamed } from '../class-members.js';

/** A timer of `@nestjs/schedule` before it is started. */
interface DeclaredTimer {
  target: unknown;
  options?: object;
}

/**
 * Stops the timers of `@nestjs/schedule`, which belong to the schedulers. This package does not load that one, so it
 * finds the providers by the names of their classes. The application's `SchedulerRegistry` has all its entries, which
 * never fire.
 */
export class ScheduleTimers {
  constructor(private readonly discovery: DiscoveryService) {}

  /** Call when all timers are declared, and before any is started. */
  mute(): void {
    const orchestrator = this.find('SchedulerOrchestrator');
    if (orchestrator === undefined) return;
    for (const kind of ['cronJobs', 'intervals', 'timeouts']) {
      const declared: Readonly<Record<string, DeclaredTimer>> = Reflect.get(orchestrator, kind) ?? {};
      for (const timer of Object.values(declared)) {
        timer.target = () => {};
        if (kind === 'cronJobs') timer.options = { ...timer.options, disabled: true };
      }
    }
  }

  /** Stops timers that have started, also those that the application has started itself. */
  stop(): void {
    const schedules = this.find('SchedulerRegistry');
    if (!isSchedulerRegistry(schedules)) return;
    for (const job of schedules.getCronJobs().values()) void job.stop();
    for (const name of schedules.getIntervals()) clearInterval(schedules.getInterval(name));
    for (const name of schedules.getTimeouts()) clearTimeout(schedules.getTimeout(name));
  }

  private find(className: string): object | undefined {
    return this.discovery
      .getProviders()
      .map(({ instance }): unknown => instance)
      .find((instance): instance is object => isOfClassNamed(instance, className));
  }
}

function isSchedulerRegistry(provider: object | undefined): provider is SchedulerRegistry {
  return provider !== undefined && 'getCronJobs' in provider;
}
