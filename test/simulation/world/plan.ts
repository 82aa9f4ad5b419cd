import type { JobOptions } from '../../../libs/elastic-job/src/domain/index.js';
import { Chance } from './chance.js';

/** What happens to the cluster. Whom it happens to is chosen among those who live then. */
export type DisturbanceKind =
  | 'crash'
  | 'pause'
  | 'partition'
  | 'cut-requests'
  | 'cut-replies'
  | 'late-news'
  | 'lose-reply'
  | 'expire'
  | 'clock-jump'
  | 'join'
  | 'leave'
  | 'restart-all'
  | 'edit'
  | 'switch-item'
  | 'switch-server'
  | 'trigger'
  /** The election node of a leader that is about to plan is deleted, as by an operator's hand. */
  | 'depose'
  /** Somebody joins, and what another one sends or hears at that moment is held up. */
  | 'slow-hand-over';

export interface Disturbance {
  /** Milliseconds after the start. */
  readonly at: number;
  readonly kind: DisturbanceKind;
  /** How long it lasts, in milliseconds, where it lasts. */
  readonly ms: number;
  /** In [0, 1): whom, and what. */
  readonly who: number;
  readonly what: number;
}

export type PlannedJob = JobOptions & { readonly name: string; readonly cron: string; readonly periodMs: number };

/** One history before it happens: everything that the seed decides beforehand. */
export interface Plan {
  readonly seed: number;
  readonly sessionTimeoutMs: number;
  /** Most messages take up to this long there and back, in milliseconds. */
  readonly latencyMs: number;
  /** Some processes hear of what others write up to this much later, in milliseconds, unless they ask. */
  readonly newsLagMs: number;
  readonly instances: number;
  readonly jobs: readonly PlannedJob[];
  readonly disturbances: readonly Disturbance[];
  /** When faults are over, in milliseconds after the start. */
  readonly calmAt: number;
  readonly endAt: number;
}

const PERIODS = [1, 1, 1, 2, 2, 5, 5, 10, 15, 30, 60];
const STRATEGIES = ['AVG_ALLOCATION', 'ODEVITY', 'ROUND_ROBIN', 'STICKY'];
const KINDS: readonly (readonly [DisturbanceKind, number])[] = [
  ['crash', 3],
  ['pause', 4],
  ['partition', 3],
  ['cut-requests', 2],
  ['cut-replies', 2],
  ['late-news', 4],
  ['lose-reply', 4],
  ['expire', 2],
  ['clock-jump', 1],
  ['join', 5],
  ['leave', 3],
  ['restart-all', 0.3],
  ['edit', 2],
  ['switch-item', 1.5],
  ['switch-server', 1],
  ['trigger', 2],
];
/** Long enough after the last fault for every session to end, every plan to be made, and every debt to be paid. */
const SETTLING_MS = 30_000;

/** Draws a history. */
export function planOf(seed: number): Plan {
  const chance = new Chance(seed);
  const sessionTimeoutMs = chance.pick([4_000, 6_000, 10_000]);
  const jobs = Array.from({ length: chance.pick([1, 1, 1, 2, 3]) }, (_, index) =>
    drawJob(chance, new Chance(seed ^ (0x10b + index)), `job-${index}`),
  );
  const calmAt = chance.between(20_000, 70_000);
  const longest = Math.max(...jobs.map(({ periodMs }) => periodMs));
  return {
    seed,
    sessionTimeoutMs,
    latencyMs: chance.pick([2, 10, 10, 50, 200]),
    newsLagMs: new Chance(seed ^ 0x1a6).pick([0, 0, 300, 1_500]),
    instances: chance.between(2, 4),
    jobs,
    disturbances: [
      ...drawDisturbances(chance, calmAt, sessionTimeoutMs),
      ...drawLateTrigger(chance, calmAt),
      ...drawRaces(seed, calmAt),
    ],
    calmAt,
    endAt: calmAt + sessionTimeoutMs + SETTLING_MS + 2 * longest + 5_000,
  };
}

/** @param more decides what the other draws shall not depend on */
function drawJob(chance: Chance, more: Chance, name: string): PlannedJob {
  const seconds = chance.pick(PERIODS);
  const monitorExecution = !chance.is(0.05);
  return {
    name,
    ...scheduleEvery(seconds),
    shardingTotalCount: chance.between(1, 8),
    failover: monitorExecution && chance.is(0.7),
    ...drawMisfire(more, chance.is(0.7)),
    monitorExecution,
    strategy: chance.pick(STRATEGIES),
    concurrency: chance.is(0.2) ? chance.between(1, 3) : undefined,
    jobParameter: 'v0',
    timeZone: 'UTC',
    reconcileIntervalMinutes: 1,
  };
}

function drawMisfire(more: Chance, misfire: boolean): Pick<JobOptions, 'misfire' | 'misfirePolicy' | 'misfireLimit'> {
  if (!misfire || more.is(0.65)) return { misfire };
  return { misfirePolicy: 'all', misfireLimit: more.pick([undefined, 3]) };
}

/** Longer than the period, unless one instance alone could then not keep up with the items that wait for a slot. */
export function longestRunMs({ periodMs, concurrency, shardingTotalCount, misfirePolicy }: PlannedJob): number {
  // Who makes up for every fire time must be quicker than they come.
  if (concurrency === undefined) return Math.min((misfirePolicy === 'all' ? 0.7 : 1.7) * periodMs, 12_000);
  return Math.min((periodMs * concurrency) / (2 * shardingTotalCount + 6), 3_000);
}

/** A schedule of so many seconds, which divide a minute. */
export function scheduleEvery(seconds: number): { readonly cron: string; readonly periodMs: number } {
  return { cron: seconds === 60 ? '0 * * * * ?' : `0/${seconds} * * * * ?`, periodMs: seconds * 1_000 };
}

// Troubles seldom come alone: they are drawn in bursts, often around full seconds, when triggers fire.
function drawDisturbances(chance: Chance, calmAt: number, sessionTimeoutMs: number): Disturbance[] {
  const drawn: Disturbance[] = [];
  for (let burst = chance.between(1, 4); burst > 0; burst -= 1) {
    const start = chance.between(3_000, calmAt - 5_000);
    const width = chance.pick([100, 1_000, 5_000, 15_000]);
    for (let count = chance.between(1, 5); count > 0; count -= 1) {
      const moment = Math.min(calmAt - 1_000, start + chance.between(0, width));
      const at = chance.is(0.4) ? Math.round(moment / 1_000) * 1_000 + chance.between(-20, 60) : moment;
      const ms = Math.round(chance.pick([0.02, 0.1, 0.3, 0.6, 0.9, 1.3, 2]) * sessionTimeoutMs);
      drawn.push({ at, kind: drawKind(chance), ms, who: chance.next(), what: chance.next() });
    }
  }
  return drawn.toSorted((a, b) => a.at - b.at);
}

/** Faults that meet: each takes an instant that chance alone seldom finds. */
function drawRaces(seed: number, calmAt: number): Disturbance[] {
  const chance = new Chance(seed ^ 0xface);
  if (chance.is(0.6)) return [];
  return Array.from({ length: chance.between(1, 4) }, (): Disturbance => {
    const second = chance.between(5, Math.floor(calmAt / 1_000) - 6);
    const kind = chance.pick(['depose', 'slow-hand-over', 'slow-hand-over'] as const);
    return {
      at: second * 1_000 - chance.between(0, 250),
      kind,
      ms: chance.between(300, 2_000),
      who: chance.next(),
      what: chance.next(),
    };
  });
}

/** What an operator asks for when everything has settled is judged without allowances. */
function drawLateTrigger(chance: Chance, calmAt: number): Disturbance[] {
  if (chance.is(0.7)) return [];
  return [{ at: calmAt + chance.between(22_000, 26_000), kind: 'trigger', ms: 0, who: 0, what: chance.next() }];
}

function drawKind(chance: Chance): DisturbanceKind {
  let left = chance.next() * KINDS.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [kind, weight] of KINDS) {
    left -= weight;
    if (left < 0) return kind;
  }
  return 'join';
}
