// The cost of telemetry: the CPU time of a run with and without metrics, the tracer and a history, in 10 rounds of
// 100,000 runs each. The contestants alternate in short slices, so that whatever else the machine does meets all alike;
// a round is long, since a single collection of garbage is some percent of a short one. The promise is about
// everything that this library does, up to a history's rows; a third contestant writes them to a SQLite file as well
// (write-ahead log), which is the database's own work, done in this process. Exits with 1 if the median difference
// without it is not below 2 %, or if telemetry makes a request to the registry.
//
// npm run bench:telemetry             it computes for about twenty minutes
// RUNS=20000 npm run bench:telemetry  shorter, and less exact
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, sql, SqliteDialect } from 'kysely';
import Libsql from 'libsql';
import { type JobHandler, resolveJobOptions, type Trigger } from '../libs/elastic-job/src/domain/index.js';
import { JobMetrics } from '../libs/elastic-job/src/nest/metrics/index.js';
import { LabelValues } from '../libs/elastic-job/src/tracing/index.js';
import { MemoryRegistry, type MemoryRegistryCenter } from '../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../libs/elastic-job/src/runtime/index.js';
import { VirtualClock } from '../libs/elastic-job/src/testing/index.js';
import { EventSinks, type JobEvent, type JobEventSink } from '../libs/elastic-job/src/tracing/index.js';
import { openTelemetryTracer } from '../libs/elastic-job/src/tracing/opentelemetry/index.js';
import { SqlHistory } from '../libs/elastic-job/src/tracing/sql/index.js';

const ROUNDS = 10;
const RUNS_OF_ROUND = Number(process.env.RUNS ?? 100_000);
const SLICE = 50;
const ROWS_TOGETHER = 100;
/** Code is compiled and caches are filled before anything is measured. */
const WARM_UP = 10_000;
const MOST = 0.02;
const JOB = { name: 'settle-orders', cron: '* * * * * ?', shardingTotalCount: 1 };
const FIRE_MS = 1_000;

/**
 * A history, all but its store: it makes a row of each step that ElasticJob's tables have, and passes them on together.
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

  /** @param history makes it one that is told everything of its runs */
  static async start(history?: JobEventSink): Promise<Contestant> {
    const clock = new VirtualClock();
    const limits = { sessionTimeoutMs: 60_000, requestTimeoutMs: 10_000, latencyMs: 1 };
    const registry = new MemoryRegistry(clock).center({ namespace: 'bench', clock, ...limits });
    const runtime = new ElasticJobRuntime({ registry, clock, tracer: history && openTelemetryTracer() });
    const { events } = runtime;
    const contestant = new Contestant(clock, registry, runtime);
    if (history) {
      new EventSinks([history], events, clock).start();
      contestant.metrics = new JobMetrics({ runtime, registry, clock, events, jobs: new LabelValues(100) });
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

const directory = await mkdtemp(join(tmpdir(), 'telemetry-'));
const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: new Libsql(join(directory, 'history.db')) }) });
await sql`pragma journal_mode = wal`.execute(db);
const history = new SqlHistory(db, { gatherMs: SLICE * FIRE_MS });
const bare = await Contestant.start();
const told = await Contestant.start(new BatchedHistory());
const kept = await Contestant.start(history);
const requestsBefore = told.requests - bare.requests;
const [withoutStore, withStore]: [number[], number[]] = [[], []];
console.info(`CPU time per run, ${ROUNDS} rounds of ${RUNS_OF_ROUND} runs each, one item per run`);
for (let round = 1; round <= ROUNDS; round += 1) await compare(round);
const extraRequests = told.requests - bare.requests - requestsBefore;
for (const contestant of [bare, told, kept]) await contestant.stop();
await stopHistory();
judge();

async function compare(round: number): Promise<void> {
  const contestants = [bare, told, kept];
  for (const contestant of contestants) contestant.cpuMs = 0;
  for (let slice = 0; slice < RUNS_OF_ROUND / SLICE; slice += 1) {
    const first = slice % contestants.length;
    const turns = [...contestants.slice(first), ...contestants.slice(0, first)];
    for (const contestant of turns) await contestant.run(SLICE);
  }
  withoutStore.push(told.cpuMs / bare.cpuMs - 1);
  withStore.push(kept.cpuMs / bare.cpuMs - 1);
  const perRun = ({ cpuMs }: Contestant) => `${((cpuMs * 1_000) / RUNS_OF_ROUND).toFixed(1)} µs`;
  console.info(
    `${round}: bare ${perRun(bare)}; with telemetry ${perRun(told)}, ${percent(withoutStore.at(-1)!)} more; ` +
      `with a history in SQLite ${perRun(kept)}, ${percent(withStore.at(-1)!)} more`,
  );
}

/** @throws if the history has not kept what it was told */
async function stopHistory(): Promise<void> {
  const { queuedRows, droppedRows, failingSince } = history.status;
  await history.stop(AbortSignal.timeout(10_000));
  await db.destroy();
  await rm(directory, { recursive: true });
  if (droppedRows > 0 || failingSince !== undefined || queuedRows > 10 * SLICE) {
    throw new Error(`The history has dropped ${droppedRows} rows, and ${queuedRows} waited.`);
  }
}

function judge(): void {
  console.info(`telemetry: ${describeMedian(withoutStore)}; ${extraRequests} requests more to the registry`);
  console.info(`with a history in SQLite as well: ${describeMedian(withStore)}`);
  const isKept = medianOf(withoutStore) < MOST && extraRequests === 0;
  if (!isKept) console.error(`More than promised: ${percent(MOST)} and no request.`);
  process.exitCode = isKept ? 0 : 1;
}

function describeMedian(differences: readonly number[]): string {
  const sorted = differences.toSorted((a, b) => a - b);
  // The median of 10 lies between the second and the ninth of them with a probability of 1 - 22 / 1024.
  const interval = `97.9 % interval ${percent(sorted[1]!)} to ${percent(sorted[ROUNDS - 2]!)}`;
  return `median difference ${percent(medianOf(differences))}, ${interval}`;
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[ROUNDS / 2 - 1]! + sorted[ROUNDS / 2]!) / 2;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}
