// Measures the cost of telemetry: the CPU time of a run with and without metrics, the tracer and a history's rows, in
// 10 rounds of 100,000 runs each, and the total cost of a history in the event loop's thread. The contestants alternate
// in short slices, so that other load of the machine meets all alike. Rounds are long, since a single garbage
// collection is some percent of a short one. Exits with 1 if the median difference is not below 2 %, if telemetry makes
// a request to the registry, or if a history costs more than 60 µs per run (`history-cost.ts`); with 2 if it does so on
// processors that were not at full speed.
//
// npm run bench:telemetry               computes for about twenty minutes
// RUNS=20000 npm run bench:telemetry    shorter, and less exact
// npm run bench:telemetry -- --history  the history's part alone
import { parseArgs } from 'node:util';
import type { Trigger } from '../libs/elastic-job/src/domain/index.js';
import type { JobEvent, JobEventSink } from '../libs/elastic-job/src/tracing/index.js';
import { judgeHistory } from './history-cost.js';
import { exitCodeOf, type Verdict } from './scale/verdict.js';
import { describeMedian, medianOf } from './statistics.js';
import { Contestant } from './telemetry-contestant.js';

const { values: options } = parseArgs({ options: { history: { type: 'boolean', default: false } } });
const ROUNDS = 10;
const RUNS_OF_ROUND = Number(process.env.RUNS ?? 100_000);
const SLICE = 50;
const ROWS_TOGETHER = 100;
const MOST = 0.02;

/**
 * A history without a store: it makes a row for each step that ElasticJob's tables have, and passes them on together.
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

const ofTelemetry = options.history ? 'skipped' : await judgeTelemetry();
// A fifth of the runs: the difference is larger, and the files grow by about 200 bytes a row.
const ofHistory = await judgeHistory(RUNS_OF_ROUND / 5);
process.exitCode = exitCodeOf([ofTelemetry, ...ofHistory]);

async function judgeTelemetry(): Promise<Verdict> {
  const bare = await Contestant.start();
  const told = await Contestant.start({ sink: new BatchedHistory(), isMeasured: true });
  const requestsBefore = told.requests - bare.requests;
  const differences: number[] = [];
  console.info(`CPU time per run, ${ROUNDS} rounds of ${RUNS_OF_ROUND} runs each, one item per run`);
  for (let round = 1; round <= ROUNDS; round += 1) {
    differences.push(await compare(bare, told));
    const perRun = ({ cpuUs }: Contestant) => `${(cpuUs / RUNS_OF_ROUND).toFixed(1)} µs`;
    console.info(
      `${round}: bare ${perRun(bare)}; with telemetry ${perRun(told)}, ${percent(differences.at(-1)!)} more`,
    );
  }
  const extraRequests = told.requests - bare.requests - requestsBefore;
  for (const contestant of [bare, told]) await contestant.stop();
  const described = describeMedian(differences, percent);
  console.info(`telemetry: median difference ${described}; ${extraRequests} requests more to the registry`);
  const isKept = medianOf(differences) < MOST && extraRequests === 0;
  if (!isKept) console.error(`More than promised: ${percent(MOST)} and no request.`);
  return isKept ? 'kept' : 'short';
}

/** @returns the additional cost of a run by telemetry, as a share */
async function compare(bare: Contestant, told: Contestant): Promise<number> {
  for (const contestant of [bare, told]) contestant.reset();
  for (let slice = 0; slice < RUNS_OF_ROUND / SLICE; slice += 1) {
    const turns = slice % 2 === 0 ? [bare, told] : [told, bare];
    for (const contestant of turns) await contestant.run(SLICE);
  }
  return told.cpuUs / bare.cpuUs - 1;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}
