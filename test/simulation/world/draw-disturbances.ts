import { Chance } from './chance.js';
import type { Disturbance, DisturbanceKind, Edition } from './plan.js';

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

/** Disturbances that may come together with calls of a process. */
const CALLS: readonly DisturbanceKind[] = [
  ...(['call-remove', 'call-remove', 'call-remove', 'call-pause', 'call-pause', 'call-change', 'call-change'] as const),
  ...(['leave', 'trigger', 'cancel', 'switch-item', 'expire', 'partition', 'lose-reply'] as const),
];

/** A mark that was made by hand is removed within this time, in milliseconds. */
const LONGEST_STRAY_MS = 21_000;

/** Milliseconds. Instants count from the start. */
interface Bounds {
  readonly calmAt: number;
  readonly recoveredAt: number;
  readonly sessionTimeoutMs: number;
}

/** Draws all disturbances of a cluster. @param chance draws from the seed itself do not change what this draws */
export function drawDisturbances(seed: number, chance: Chance, bounds: Bounds, edition: Edition): Disturbance[] {
  return [
    ...drawTroubles(chance, bounds),
    ...drawLateTrigger(chance, bounds),
    ...drawRaces(seed, bounds),
    ...drawPausesAtWork(seed, bounds),
    ...drawDeadRescuers(seed, bounds),
    ...drawCancels(seed, bounds),
    ...drawShutdowns(seed, bounds),
    ...(edition >= 2 ? drawCalls(seed, bounds) : []),
    ...(edition >= 3 ? drawOddAnswers(seed, bounds) : []),
    ...(edition >= 4 ? [...drawClockSteps(seed, bounds), ...drawStrayMarks(seed, bounds)] : []),
    ...(edition >= 5 ? drawChurns(seed, bounds) : []),
    ...(edition >= 7 ? [...drawReruns(seed, bounds), ...drawResignations(seed, bounds), upgrade(bounds)] : []),
  ];
}

// Troubles seldom come alone: they are drawn in bursts, often around full seconds, when triggers fire.
function drawTroubles(chance: Chance, { calmAt, sessionTimeoutMs }: Bounds): Disturbance[] {
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

/** Faults that meet. Each takes an instant that chance alone seldom finds. */
function drawRaces(seed: number, { calmAt }: Bounds): Disturbance[] {
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

/** Pauses of holders at work. Only such a holder may write after another instance has taken over. */
function drawPausesAtWork(seed: number, { calmAt, sessionTimeoutMs }: Bounds): Disturbance[] {
  const chance = new Chance(seed ^ 0x9a05e);
  if (chance.is(0.7)) return [];
  return [
    {
      at: chance.between(4_000, calmAt - 10_000),
      kind: 'pause-at-work',
      ms: Math.round((1.2 + chance.next()) * sessionTimeoutMs),
      who: chance.next(),
      what: chance.next(),
    },
  ];
}

/** The death of an instance, and then of one that rescues its items. */
function drawDeadRescuers(seed: number, { calmAt, sessionTimeoutMs }: Bounds): Disturbance[] {
  const chance = new Chance(seed ^ 0xdead);
  if (chance.is(0.75)) return [];
  const at = chance.between(3_000, calmAt - 12_000);
  const drawn = { ms: 1_000 + chance.between(-30, 150), who: chance.next(), what: chance.next() };
  return [
    { at, kind: 'crash-at-work', ...drawn },
    { at: at + sessionTimeoutMs, kind: 'expire-rescuer', ...drawn },
  ];
}

/** Cancels, also after everything has settled: then they are judged without allowances. */
function drawCancels(seed: number, { recoveredAt }: Bounds): Disturbance[] {
  const chance = new Chance(seed ^ 0xca9ce1);
  if (chance.is(0.6)) return [];
  return Array.from({ length: chance.between(1, 3) }, (): Disturbance => {
    const at = chance.between(4_000, recoveredAt + 2_000);
    return { at, kind: 'cancel', ms: 0, who: chance.next(), what: chance.next() };
  });
}

function drawShutdowns(seed: number, { calmAt }: Bounds): Disturbance[] {
  const chance = new Chance(seed ^ 0x5d074);
  if (chance.is(0.7)) return [];
  return Array.from({ length: chance.between(1, 2) }, (): Disturbance => {
    const at = chance.between(4_000, calmAt - 1_000);
    return { at, kind: 'shutdown', ms: 0, who: chance.next(), what: chance.next() };
  });
}

/** Calls that meet each other, and a fault now and then. Most are of one process, for one job. */
function drawCalls(seed: number, { calmAt, sessionTimeoutMs }: Bounds): Disturbance[] {
  const chance = new Chance(seed ^ 0xca11);
  if (chance.is(0.65)) return [];
  return Array.from({ length: chance.between(1, 3) }).flatMap(() => {
    const [start, who, what] = [chance.between(4_000, calmAt - 5_000), chance.next(), chance.next()];
    const width = chance.pick([0, 50, 500, 4_000]);
    return Array.from({ length: chance.between(1, 4) }, (): Disturbance => ({
      at: start + chance.between(0, width),
      kind: chance.pick(CALLS),
      ms: Math.round(chance.pick([10, 200, 2_000, 0.9 * sessionTimeoutMs, 8_000])),
      who: chance.is(0.8) ? who : chance.next(),
      what: chance.is(0.8) ? what : chance.next(),
    }));
  });
}

/** Odd answers, once, or for a while, as if until an operator has corrected an ACL or a quota. */
function drawOddAnswers(seed: number, { calmAt }: Bounds): Disturbance[] {
  const chance = new Chance(seed ^ 0x0dd);
  if (chance.is(0.4)) return [];
  return Array.from({ length: chance.between(1, 6) }, (): Disturbance => {
    const at = chance.between(3_000, calmAt - 5_000);
    return { at, kind: 'odd-answer', ms: chance.pick([0, 0, 0, 500, 3_500]), who: chance.next(), what: chance.next() };
  });
}

function drawClockSteps(seed: number, { calmAt }: Bounds): Disturbance[] {
  const chance = new Chance(seed ^ 0x57e9);
  if (chance.is(0.6)) return [];
  return Array.from({ length: chance.between(1, 3) }, (): Disturbance => {
    const at = chance.between(3_000, calmAt - 1_000);
    const ms = chance.pick([1_000, 10_000, 0]);
    return { at, kind: 'clock-step', ms, who: chance.next(), what: chance.next() };
  });
}

/** Stray marks, which are gone when everything is repaired. */
function drawStrayMarks(seed: number, { calmAt }: Bounds): Disturbance[] {
  const chance = new Chance(seed ^ 0x3a4c);
  const latest = calmAt - LONGEST_STRAY_MS - 1_000;
  if (latest < 4_000 || chance.is(0.7)) return [];
  return Array.from({ length: chance.between(1, 3) }, (): Disturbance => {
    const at = chance.between(4_000, latest);
    return { at, kind: 'stray-mark', ms: LONGEST_STRAY_MS, who: chance.next(), what: chance.next() };
  });
}

/** Totals that shrink right after a fire time, and grow again before clocks that are behind have come as far. */
function drawChurns(seed: number, { calmAt }: Bounds): Disturbance[] {
  const chance = new Chance(seed ^ 0xc4047);
  if (chance.is(0.4)) return [];
  return Array.from({ length: chance.between(1, 5) }, (): Disturbance => {
    const second = chance.between(4, Math.floor(calmAt / 1_000) - 4);
    const at = second * 1_000 + chance.pick([chance.between(-300, 300), chance.between(0, 1_000)]);
    const ms = chance.pick([200, 500, 1_000, 2_000, 5_000]);
    return { at, kind: 'churn', ms, who: chance.next(), what: chance.next() };
  });
}

/** Re-runs, some of which are withdrawn after a while. All processes crash in the middle of some. */
function drawReruns(seed: number, { calmAt, recoveredAt }: Bounds): Disturbance[] {
  const chance = new Chance(seed ^ 0x4e4a);
  if (chance.is(0.5)) return [];
  return Array.from({ length: chance.between(1, 3) }).flatMap((): Disturbance[] => {
    const at = chance.is(0.8) ? chance.between(4_000, calmAt) : recoveredAt + chance.between(500, 4_000);
    const ms = chance.pick([0, 0, 0, 20, 400, 3_000]);
    const rerun = { at, kind: 'rerun', ms, who: chance.next(), what: chance.next() } as const;
    const crashAt = at + chance.between(50, 3_000);
    if (chance.is(0.7) || crashAt > calmAt - 4_000) return [rerun];
    return [rerun, { at: crashAt, kind: 'restart-all', ms: 1_000, who: 0, what: 1 }];
  });
}

function drawResignations(seed: number, { calmAt }: Bounds): Disturbance[] {
  const chance = new Chance(seed ^ 0x4e51);
  if (chance.is(0.6)) return [];
  return Array.from({ length: chance.between(1, 3) }, (): Disturbance => {
    const second = chance.between(4, Math.floor(calmAt / 1_000) - 2);
    const at = second * 1_000 + chance.pick([0, chance.between(-300, 300)]);
    return { at, kind: 'resign', ms: 0, who: chance.next(), what: chance.next() };
  });
}

/** All instances of an earlier release have left when everything is repaired. */
function upgrade({ calmAt }: Bounds): Disturbance {
  return { at: calmAt - 4_500, kind: 'upgrade', ms: 0, who: 0, what: 0 };
}

/** Requests of an operator after everything has settled, which are judged without allowances. */
function drawLateTrigger(chance: Chance, { recoveredAt }: Bounds): Disturbance[] {
  if (chance.is(0.7)) return [];
  return [{ at: recoveredAt + chance.between(500, 4_000), kind: 'trigger', ms: 0, who: 0, what: chance.next() }];
}

function drawKind(chance: Chance): DisturbanceKind {
  let left = chance.next() * KINDS.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [kind, weight] of KINDS) {
    left -= weight;
    if (left < 0) return kind;
  }
  return 'join';
}
