import { setTimeout as delay } from 'node:timers/promises';
import type { Ensemble } from '@test/support/faults/index.js';
import { Seeded } from '@test/support/seeded.js';
import { failoverBoundMs, type JobPlan, judge, type Judgement, type Violation } from './check/index.js';
import { Breakage } from './stage/breakage.js';
import { Cluster, type ClusterOptions } from './stage/cluster.js';
import type { WorkerKind, WorkerPrograms } from './stage/workforce.js';

/** Tick of the ensemble. */
export const TICK_MS = 300;
const SESSION_TIMEOUT_MS = 3_000;
const WORKERS = 5;
const ITEMS = 8;
const JOBS: readonly JobPlan[] = [
  { name: 'each-second', cron: '* * * * * ?', periodMs: 1_000, items: ITEMS },
  { name: 'each-five-seconds', cron: '0/5 * * * * ?', periodMs: 5_000, items: ITEMS },
];
/** Largest offset of a clock that still counts as right. */
export const LARGEST_OFFSET_MS = 300;
/** Time that workers need to read the state of the jobs after a new start. */
const WARM_UP_MS = 2_000;
/** The workers leave at least so long after a fire time of the longest period, whose marks are there by then. */
const LEAST_CALM_MS = 1_000;
/** Longest wait for the end of what runs. */
const IDLE_LIMIT_MS = 60_000;

export interface ChaosOptions {
  readonly kind: WorkerKind;
  readonly programs: WorkerPrograms;
  readonly ensemble: Ensemble;
  readonly ms: number;
  readonly seed: number;
  /** Longest wait of a due target without an excuse. */
  readonly slackMs?: number;
  /** Workers have clocks of their own, which are stepped. */
  readonly clocks?: boolean;
  /** Largest offset of such a clock when it is right. @default 300 */
  readonly offsetMs?: number;
  /** Servers refuse writes for a while. */
  readonly refusals?: boolean;
  /** Operators make totals smaller for a while, and delete nodes. */
  readonly hands?: boolean;
  /** The directory that keeps the logs. */
  readonly keep?: string;
  /** Called every minute with the number of faults so far. */
  readonly tell?: (faults: number) => void;
}

/** The judgement of one run, with its stories. */
export interface ChaosResult extends Judgement {
  readonly faults: ReadonlyMap<string, number>;
  readonly refusals: number;
  /** Messages of the workers about that job around that time. */
  story(violation: Violation): string;
}

/** Options of every cluster of these programs. */
export function clusterOptions(
  { kind, programs, ensemble }: Pick<ChaosOptions, 'kind' | 'programs' | 'ensemble'>,
  rest: Pick<ClusterOptions, 'namespace' | 'jobs' | 'workers' | 'version'>,
): ClusterOptions {
  return { kind, programs, ensemble, tickMs: TICK_MS, sessionTimeoutMs: SESSION_TIMEOUT_MS, ...rest };
}

/** Runs five workers under random faults for that time, and judges them. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const version = { leastMs: 50, mostMs: 1_500, version: '' };
  const given = { namespace: `chaos-${options.kind}`, jobs: JOBS, workers: WORKERS, version };
  const { seed, slackMs, keep, clocks = false, refusals = false, tell = () => {} } = options;
  const { offsetMs = LARGEST_OFFSET_MS } = options;
  const random = new Seeded(seed);
  const hands = options.hands ? new Seeded(seed + 1) : undefined;
  const drawClockMs = clocks ? () => random.between(-offsetMs, offsetMs) : undefined;
  const cluster = await Cluster.start({ ...clusterOptions(options, given), slackMs, keep, drawClockMs });
  const telling = setInterval(() => tell(cluster.faults.faults.length), 60_000);
  try {
    return await judged(cluster, () => new Breakage(cluster, random, { clocks, refusals, hands }).run(options.ms));
  } finally {
    clearInterval(telling);
    await cluster.stop();
  }
}

/** Waits until the cluster is at work, lets it be broken, heal and leave, and judges the result. */
export async function judged(
  cluster: Cluster,
  breakIt: () => Promise<void>,
  warmUpMs = WARM_UP_MS,
): Promise<ChaosResult> {
  const { jobs, sessionTimeoutMs, tickMs } = cluster.options;
  await delay(warmUpMs);
  const from = Date.now();
  await breakIt();
  const periodMs = Math.max(...jobs.map((job) => job.periodMs));
  await delay(failoverBoundMs({ sessionTimeoutMs, tickMs }) + periodMs);
  await untilCalm(cluster, periodMs);
  const to = Date.now();
  // The workers leave first: judging takes seconds, in which their networks would stand still.
  const left = await leaveInOrder(cluster);
  const judgement = judge(await cluster.history({ from, to }));
  const violations = [...judgement.violations, ...left, ...deaths(cluster)];
  const { refusals: refused } = await cluster.logs.read();
  return { ...judgement, violations, refusals: refused, faults: cluster.faults.counts(), story: tellerOf(cluster) };
}

/**
 * Waits until no run of the longest period is left, and none is about to begin. Such a run may take longer than the
 * drain. If the last worker cut it short, it would wait in the queue.
 */
async function untilCalm({ options, tree }: Cluster, periodMs: number): Promise<void> {
  const longest = options.jobs.filter((job) => job.periodMs === periodMs);
  do {
    await delay(untilPhase(LEAST_CALM_MS, periodMs));
    await Promise.all(longest.map(({ name }) => tree.untilIdle(name, IDLE_LIMIT_MS)));
  } while (untilPhase(LEAST_CALM_MS, periodMs) < 2 * LEAST_CALM_MS);
}

/** Milliseconds until the wall clock is so far in a period. */
export function untilPhase(phaseMs: number, periodMs: number): number {
  return (((phaseMs - Date.now()) % periodMs) + periodMs) % periodMs;
}

/** Makes all workers leave. @returns nodes that they have left behind */
export async function leaveInOrder(cluster: Cluster): Promise<readonly Violation[]> {
  const { workforce, tree, options } = cluster;
  await Promise.all(workforce.all.map((worker) => workforce.leave(worker)));
  const leftAt = Date.now();
  const litter = await tree.litter(2 * failoverBoundMs(options));
  return litter.map(({ job, path, text }) => {
    const item = /\/(\d+)(?:\/\w+)?$/.exec(path)?.[1];
    return { rule: 'litter', job, item: item === undefined ? item : Number(item), at: leftAt, text: `${path} ${text}` };
  });
}

function deaths({ workforce }: Cluster): readonly Violation[] {
  return workforce.deaths.map((text) => ({ rule: 'litter', job: '', item: undefined, at: Date.now(), text }));
}

const BEFORE_MS = 6_000;
const AFTER_MS = 6_000;

function tellerOf({ workforce, faults, tree }: Cluster): (violation: Violation) => string {
  return ({ job, item, at }) => {
    const isNear = (time: number) => time > at - BEFORE_MS && time < at + AFTER_MS;
    const said = workforce.journal.events
      .filter(
        (event) => isNear(event.at) && (event.text ?? '').includes(`"${job}"`) && concerns(event.text ?? '', item),
      )
      .map((event) => ({ at: event.at, text: `${event.peer} ${event.event} ${event.text}` }));
    const broken = faults.faults
      .filter(({ from, to }) => isNear(from) || isNear(to))
      .map(({ from, to, kind, victim }) => ({ at: from, text: `FAULT ${kind} ${victim ?? ''} for ${to - from} ms` }));
    const seen = tree.sights
      .filter((sight) => sight.job === job && isNear(sight.at))
      .map((sight) => ({ at: sight.at, text: `led by ${sight.leader}, owned by ${sight.owners[item ?? 0]}` }));
    const lines = [...said, ...broken, ...seen].toSorted((a, b) => a.at - b.at);
    return lines.map((line) => `    ${new Date(line.at).toISOString().slice(11, 23)} ${line.text}`).join('\n');
  };
}

/** Events of single items name them. */
function concerns(text: string, item: number | undefined): boolean {
  const items = /"items":\[([\d,]*)\]/.exec(text)?.[1]?.split(',') ?? /"item":(\d+)/.exec(text)?.slice(1);
  return items === undefined || item === undefined || items.includes(String(item));
}
