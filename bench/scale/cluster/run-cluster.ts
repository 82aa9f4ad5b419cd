import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterOptions } from '../options.js';
import { Stage } from '../stage.js';
import { dueTimes, judgeLedger, type LedgerSums } from './ledger.js';
import { Members, type Sight } from './members.js';

const MINUTE_MS = 60_000;
const SESSION_TIMEOUT_MS = 15_000;
const SECOND_MS = 1_000;
/** Jobs are due in the first seconds of each minute; the rest of it shows the cost of an idle cluster. */
const BUSY_SECONDS = 50;
/** Begins when the runs of the last busy second have ended. */
const REST_SECONDS = { from: 54, to: 59 };
/** Time until the last run is done. */
const TAIL_MS = 5_000;
/** Least time before the full minute at which a span begins. */
const LEAD_MS = 2_000;

/** Cost of an undisturbed minute, and of its idle rest. */
export interface Minute {
  readonly begun: Sight;
  readonly ended: Sight;
  readonly restBegun: Sight;
  readonly restEnded: Sight;
  readonly watches: readonly number[];
}

export interface ClusterResult {
  readonly sums: LedgerSums;
  readonly minute: Minute;
  /** Time to replace all processes, in seconds. */
  readonly restartS: number;
}

/** Replaces every process, one of them after a SIGKILL, while jobs are due once a minute each. */
export async function runCluster(options: ClusterOptions): Promise<ClusterResult> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-scale-'));
  try {
    const stage = await Stage.open(0);
    try {
      return await runOn(stage, directory, options);
    } finally {
      await stage.close();
    }
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function runOn(stage: Stage, directory: string, options: ClusterOptions): Promise<ClusterResult> {
  const { processes, jobs, items, minutes } = options;
  const cron = Array.from({ length: BUSY_SECONDS }, (_, second) => `${second} * * * * ?`);
  // Leaders look for orphans ten minutes after they have joined, which is about the duration of a restart. These
  // requests are no traffic at rest, and would come into the watched minute or not by chance.
  const groups = [{ prefix: 'job', count: jobs, items, cron, reconcileIntervalMinutes: 0 }];
  const where = { servers: stage.servers, namespace: stage.newNamespace(), sessionTimeoutMs: SESSION_TIMEOUT_MS };
  const members = new Members(stage, directory, { ...where, groups });
  try {
    while (members.count < processes) {
      await members.join();
      console.error(`${members.count} of ${processes} processes take part in ${jobs} jobs`);
    }
    // An item owes fire times from its first one on, so each has to run once before the judged span.
    const from = nextMinute() + MINUTE_MS;
    console.error(`the restart begins: ${new Date(from).toISOString()}`);
    await untilTime(from);
    const restartS = await restart(members);
    const last = Math.max(nextMinute(), from + (minutes - 1) * MINUTE_MS);
    console.error(`undisturbed minute: ${new Date(last).toISOString()}`);
    const minute = await watchMinute(members, last);
    await delay(TAIL_MS);
    await members.stop();
    const seconds = new Map(Array.from({ length: jobs }, (_, n) => [`job-${n}`, n % BUSY_SECONDS]));
    const due = dueTimes(seconds, from, last + MINUTE_MS);
    return { sums: judgeLedger(due, items, await members.ledger()), minute, restartS };
  } finally {
    await members.stop();
  }
}

/** @returns the duration, in seconds */
async function restart(members: Members): Promise<number> {
  const begun = performance.now();
  const victim = Math.floor(members.count / 2);
  for (let index = 0; index < members.count; index += 1) {
    const how = index === victim ? 'kill' : 'leave';
    await members.replace(index, how);
    console.error(`${index + 1} of ${members.count} processes are replaced (${how})`);
  }
  return (performance.now() - begun) / SECOND_MS;
}

async function watchMinute(members: Members, from: number): Promise<Minute> {
  await untilTime(from);
  const begun = await members.sight();
  await untilTime(from + REST_SECONDS.from * SECOND_MS);
  const restBegun = await members.sight();
  await untilTime(from + REST_SECONDS.to * SECOND_MS);
  const restEnded = await members.sight();
  await untilTime(from + MINUTE_MS);
  const ended = await members.sight();
  return { begun, ended, restBegun, restEnded, watches: await members.watches() };
}

function nextMinute(): number {
  return Math.ceil((Date.now() + LEAD_MS) / MINUTE_MS) * MINUTE_MS;
}

function untilTime(time: number): Promise<void> {
  return delay(Math.max(0, time - Date.now()));
}
