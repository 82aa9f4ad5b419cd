import { existsSync, readFileSync } from 'node:fs';
import { type JobHandler, resolveJobOptions } from '../libs/elastic-job/src/domain/index.js';
import { JobMetrics } from '../libs/elastic-job/src/nest/metrics/index.js';
import { JobLabels } from '../libs/elastic-job/src/nest/metrics/job-series.js';
import { MemoryRegistry, type MemoryRegistryCenter } from '../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../libs/elastic-job/src/runtime/index.js';
import { VirtualClock } from '../libs/elastic-job/src/testing/index.js';
import { EventSinks, type JobEventSink } from '../libs/elastic-job/src/tracing/index.js';
import { openTelemetryTracer } from '../libs/elastic-job/src/tracing/opentelemetry/index.js';

/** Code must be compiled, and caches filled, before the measurement. */
const WARM_UP = 10_000;
const JOB = { name: 'settle-orders', cron: '* * * * * ?', shardingTotalCount: 1 };
const FIRE_MS = 1_000;
/** Linux has figures for each thread; the first thread is the event loop's, and has the process's id. */
const THREAD = `/proc/self/task/${process.pid}/schedstat`;

/** Parts of a contestant's telemetry; without any it is bare. */
interface ContestantParts {
  /** Uses its own clock if it has one, else the clock of the runs. */
  readonly sink?: JobEventSink;
  readonly sinkClock?: ConstructorParameters<typeof EventSinks>[2];
  /** With metrics and the tracer. */
  readonly isMeasured?: boolean;
  /** Part of each slice: deferred work is done in it. */
  readonly endSlice?: () => Promise<void>;
}

/** One instance of one job, on a clock of its own. */
export class Contestant {
  /** Processor time of all threads. */
  cpuUs = 0;
  /** Processor time of the event loop's thread; that of all threads if the system has no figures for each. */
  loopUs = 0;
  private handled = 0;
  private metrics: JobMetrics | undefined;
  private sinks: EventSinks | undefined;

  private constructor(
    private readonly clock: VirtualClock,
    private readonly registry: MemoryRegistryCenter,
    private readonly runtime: ElasticJobRuntime,
    private readonly parts: ContestantParts,
  ) {}

  static async start(parts: ContestantParts = {}): Promise<Contestant> {
    const { sink, isMeasured = false } = parts;
    const clock = new VirtualClock();
    const limits = { sessionTimeoutMs: 60_000, requestTimeoutMs: 10_000, latencyMs: 1 };
    const registry = new MemoryRegistry(clock).center({ namespace: 'bench', clock, ...limits });
    const runtime = new ElasticJobRuntime({ registry, clock, tracer: isMeasured ? openTelemetryTracer() : undefined });
    const { events } = runtime;
    const contestant = new Contestant(clock, registry, runtime, parts);
    if (sink) {
      contestant.sinks = new EventSinks([sink], events, parts.sinkClock ?? clock);
      contestant.sinks.start();
    }
    if (isMeasured) {
      const jobs = new JobLabels(100, (jobName) => runtime.registrar.find(jobName) !== undefined);
      contestant.metrics = new JobMetrics({ runtime, registry, clock, events, jobs });
    }
    const handler: JobHandler = () => void (contestant.handled += 1);
    const configuration = resolveJobOptions(JOB, { place: 'bench' });
    await runtime.registrar.register({ configuration, className: 'bench', place: 'bench', handler });
    await clock.advanceUntil(runtime.start());
    for (let runs = 0; runs < WARM_UP; runs += 200) await contestant.run(200);
    contestant.reset();
    return contestant;
  }

  reset(): void {
    this.cpuUs = 0;
    this.loopUs = 0;
  }

  /** Runs a number of fire times, one after the other. */
  async run(fireTimes: number): Promise<void> {
    const before = this.handled;
    const begun = process.cpuUsage();
    const loopBegun = loopUs();
    await this.clock.advance(fireTimes * FIRE_MS);
    await this.parts.endSlice?.();
    this.loopUs += loopUs() - loopBegun;
    const { user, system } = process.cpuUsage(begun);
    this.cpuUs += user + system;
    // The start and end of a slice may cut one run off.
    if (Math.abs(this.handled - before - fireTimes) > 1) throw new Error(`${this.handled - before} runs were made.`);
  }

  get requests(): number {
    return this.registry.traffic.foreground + this.registry.traffic.background;
  }

  /** @throws if its metrics differ from the runs */
  async stop(): Promise<void> {
    await this.clock.advanceUntil(this.runtime.stop());
    if (this.parts.sinkClock) await this.sinks?.stop();
    const told = await this.metrics?.registry.getSingleMetric('elastic_job_items_total')?.get();
    const items = told?.values.reduce((sum, { value }) => sum + value, 0) ?? this.handled;
    if (items !== this.handled) throw new Error(`The metrics tell of ${items} items, ${this.handled} have run.`);
  }
}

function loopUs(): number {
  if (existsSync(THREAD)) return Number(readFileSync(THREAD, 'utf8').split(' ')[0]) / 1_000;
  const { user, system } = process.cpuUsage();
  return user + system;
}
