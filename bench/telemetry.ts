// What telemetry costs: the CPU time of a run with and without a history, metrics and the tracer, in 10 pairs of 100,000 runs
// each. The two alternate in short slices, so that whatever else the machine does meets both alike; a pair is long, since a
// single collection of garbage is some percent of a short one. Exits with 1 if the median difference is not below 2 %, or if
// telemetry makes a request to the registry.
//
// npm run bench:telemetry             it computes for about seven minutes
// RUNS=20000 npm run bench:telemetry  shorter, and less exact
import { type JobHandler, resolveJobOptions, type Trigger } from '../libs/elastic-job/src/domain/index.js';
import { JobMetrics } from '../libs/elastic-job/src/nest/metrics/index.js';
import { JobLabel } from '../libs/elastic-job/src/nest/metrics/job-label.js';
import { MemoryRegistry, type MemoryRegistryCenter } from '../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../libs/elastic-job/src/runtime/index.js';
import { VirtualClock } from '../libs/elastic-job/src/testing/index.js';
import { EventSinks, type JobEvent, type JobEventSink } from '../libs/elastic-job/src/tracing/index.js';
import { openTelemetryTracer } from '../libs/elastic-job/src/tracing/opentelemetry/index.js';

const PAIRS = 10;
const RUNS_OF_PAIR = Number(process.env.RUNS ?? 100_000);
const SLICE = 50;
const ROWS_TOGETHER = 100;
/** Code is compiled and caches are filled before anything is measured. */
const WARM_UP = 10_000;
const MOST = 0.02;
const JOB = { name: 'settle-orders', cron: '* * * * * ?', shardingTotalCount: 1 };
const FIRE_MS = 1_000;

/**
 * A history, all but its store: it makes a row of each step that ElasticJob's tables have, and passes them on together to one
 * that takes them for nothing. What a database makes this process compute is its driver's.
 */
class BatchedHistory implements JobEventSink {
  readonly name = 'bench';
  private rows: object[] = [];
  private kept = 0;

  hear(event: JobEvent): void {
    switch (event.kind) {
      case 'started':
      case 'settled':
        return this.keep(event.kind, event.taskId, event.trigger, event.item);
      case 'triggered':
      case 'begun':
      case 'finished':
        return this.keep(event.kind, event.taskId, event.trigger, event.items.join(','));
      default:
    }
  }

  private keep(state: string, taskId: string, { jobName, source, fireTime }: Trigger, item: number | string): void {
    if (this.rows.push({ state, taskId, jobName, source, fireTime, item }) < ROWS_TOGETHER) return;
    this.kept += this.rows.length;
    this.rows = [];
  }
}

/** One instance of one job, on a clock of its own. */
class Contestant {
  cpuMs = 0;
  private handled = 0;
  private metrics: JobMetrics | undefined;

  private constructor(
    private readonly clock: VirtualClock,
    private readonly registry: MemoryRegistryCenter,
    private readonly runtime: ElasticJobRuntime,
  ) {}

  static async start(isTold: boolean): Promise<Contestant> {
    const clock = new VirtualClock();
    const limits = { sessionTimeoutMs: 60_000, requestTimeoutMs: 10_000, latencyMs: 1 };
    const registry = new MemoryRegistry(clock).center({ namespace: 'bench', clock, ...limits });
    const runtime = new ElasticJobRuntime({ registry, clock, tracer: isTold ? openTelemetryTracer() : undefined });
    const { events } = runtime;
    const contestant = new Contestant(clock, registry, runtime);
    if (isTold) {
      new EventSinks([new BatchedHistory()], events, clock).start();
      contestant.metrics = new JobMetrics({ runtime, registry, clock, events, jobs: new JobLabel(100) });
    }
    const handler: JobHandler = () => void (contestant.handled += 1);
    const configuration = resolveJobOptions(JOB, { place: 'bench' });
    await runtime.registrar.register({ configuration, className: 'bench', place: 'bench', handler });
    await clock.advanceUntil(runtime.start());
    await contestant.run(WARM_UP);
    contestant.cpuMs = 0;
    return contestant;
  }

  /** So many fire times, one after the other. */
  async run(fireTimes: number): Promise<void> {
    const before = this.handled;
    const begun = process.cpuUsage();
    await this.clock.advance(fireTimes * FIRE_MS);
    const { user, system } = process.cpuUsage(begun);
    this.cpuMs += (user + system) / 1_000;
    // Start and end of a slice may cut one off.
    if (Math.abs(this.handled - before - fireTimes) > 1) throw new Error(`${this.handled - before} runs were made.`);
  }

  get requests(): number {
    return this.registry.traffic.foreground + this.registry.traffic.background;
  }

  /** @throws if its metrics do not tell what it has done */
  async stop(): Promise<void> {
    await this.clock.advanceUntil(this.runtime.stop());
    const told = await this.metrics?.registry.getSingleMetric('elastic_job_items_total')?.get();
    const items = told?.values.reduce((sum, { value }) => sum + value, 0) ?? this.handled;
    if (items !== this.handled) throw new Error(`The metrics tell of ${items} items, ${this.handled} have run.`);
  }
}

const bare = await Contestant.start(false);
const told = await Contestant.start(true);
const requestsBefore = told.requests - bare.requests;
const differences: number[] = [];
console.info(`CPU time per run, ${PAIRS} pairs of ${RUNS_OF_PAIR} runs each, one item per run`);
for (let pair = 1; pair <= PAIRS; pair += 1) differences.push(await comparePair(pair));
const extraRequests = told.requests - bare.requests - requestsBefore;
await bare.stop();
await told.stop();
judge();

async function comparePair(pair: number): Promise<number> {
  bare.cpuMs = 0;
  told.cpuMs = 0;
  for (let slice = 0; slice < RUNS_OF_PAIR / SLICE; slice += 1) {
    const turns = slice % 2 === 0 ? [bare, told] : [told, bare];
    for (const contestant of turns) await contestant.run(SLICE);
  }
  const difference = told.cpuMs / bare.cpuMs - 1;
  const perRun = (ms: number) => `${((ms * 1_000) / RUNS_OF_PAIR).toFixed(1)} µs`;
  console.info(`${pair}: without ${perRun(bare.cpuMs)}, with ${perRun(told.cpuMs)}, difference ${percent(difference)}`);
  return difference;
}

function judge(): void {
  const sorted = differences.toSorted((a, b) => a - b);
  const median = (sorted[PAIRS / 2 - 1]! + sorted[PAIRS / 2]!) / 2;
  // The median of 10 lies between the second and the ninth of them with a probability of 1 - 22 / 1024.
  console.info(
    `median difference ${percent(median)}, 97.9 % interval ${percent(sorted[1]!)} to ${percent(sorted[PAIRS - 2]!)}; ` +
      `${extraRequests} requests more to the registry`,
  );
  const isKept = median < MOST && extraRequests === 0;
  if (!isKept) console.error(`More than promised: ${percent(MOST)} and no request.`);
  process.exitCode = isKept ? 0 : 1;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}
