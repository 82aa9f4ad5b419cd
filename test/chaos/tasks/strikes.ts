import { setTimeout as delay } from 'node:timers/promises';
import { ProcessTable } from '../../../libs/elastic-job/src/cloud/process/process-table.js';
import { isAtWork, processesWith } from '../../support/faults/found-processes.js';
import type { Seeded } from '@test/support/seeded.js';
import { untilPhase } from '../cluster/run-chaos.js';
import type { Cluster } from '../cluster/stage/cluster.js';
import type { Worker } from '../cluster/stage/worker.js';
import { WORKER_FAULTS } from '../cluster/stage/worker-faults.js';
import type { TaskVariables } from './task-line.js';

/** Least time from one fault to the next. */
const STRIKE_EVERY_MS = 5_000;
/** Faults of a scheduler. Each kind comes once before all are dealt anew, SIGKILL twice. */
const KINDS = ['SIGKILL', 'SIGKILL', 'SIGSTOP, past the session', 'black hole'] as const;
const LOOK_MS = 10;
/** The time in the longest period at which the first fault comes. */
const FIRST_STRIKE_MS = 1_000;
/** Longest wait for a child to go. */
const MOST_GONE_MS = 10_000;
const SCHEDULER: keyof TaskVariables = 'SCHEDULER';

/** Traces of one SIGKILL. */
export interface Kill {
  /** Tasks that ran then. */
  readonly tasks: number;
  /** Milliseconds until neither a task nor a supervisor was left. Infinity: some have stayed. */
  readonly goneMs: number;
}

/**
 * Kills a scheduler, stops it or cuts it off, one after the other. Others start in the places of the killed. The first
 * strike comes a second after each job has begun tasks, so that it meets some of each.
 */
export async function strikeSchedulers(cluster: Cluster, random: Seeded, ms: number): Promise<readonly Kill[]> {
  const kills: Kill[] = [];
  await delay(untilPhase(FIRST_STRIKE_MS, Math.max(...cluster.options.jobs.map(({ periodMs }) => periodMs))));
  const begunAt = performance.now();
  let deck: (typeof KINDS)[number][] = [];
  for (let due = 0; due < ms; due = performance.now() - begunAt + random.below(STRIKE_EVERY_MS)) {
    await delay(Math.max(0, begunAt + due - performance.now()));
    if (deck.length === 0) deck = [...KINDS];
    const [kind] = deck.splice(random.below(deck.length), 1);
    const victim = random.of(cluster.workforce.all);
    if (kind === 'SIGKILL') {
      kills.push(await kill(cluster, victim));
      await cluster.workforce.join();
    } else await WORKER_FAULTS[kind!](cluster, victim, random);
  }
  return kills;
}

async function kill({ faults, workforce }: Cluster, victim: Worker): Promise<Kill> {
  const children = new ProcessTable().treesOf(({ pid }) => pid === victim.process.pid).map(({ pid }) => pid);
  const tasks = processesWith(SCHEDULER, victim.name).length;
  faults.open({ kind: 'SIGKILL', victim: victim.name, isPause: false, isFatal: true });
  const killedAt = performance.now();
  const dying = workforce.kill(victim);
  const goneMs = await untilGone(victim.name, children, killedAt);
  await dying;
  return { tasks, goneMs };
}

async function untilGone(name: string, children: readonly number[], since: number): Promise<number> {
  for (;;) {
    const isLeft = children.some(isAtWork) || processesWith(SCHEDULER, name).length > 0;
    const ms = performance.now() - since;
    if (!isLeft) return ms;
    if (ms > MOST_GONE_MS) return Infinity;
    await delay(LOOK_MS);
  }
}
