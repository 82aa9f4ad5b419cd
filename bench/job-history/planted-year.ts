/**
 * A year of runs, in the order in which they were written, which is the same for each load. A fifth of them is of one
 * job of 24 items, a twentieth of a resident job, and the rest of some 200 jobs of 1 to 8 items. Of 1,000 runs 10 fail,
 * 5 are aborted, 1 has no end and 1 is repeated. A tenth of the time lies before the upgrade, where only ElasticJob's
 * table has rows, and in the last tenth a Java peer writes there beside.
 */
export const WIDE = 'settle-orders';
export const WIDE_ITEMS = 24;
export const RESIDENT = 'follow-feed';
export const NOW = Date.UTC(2030, 11, 31);
export const YEAR_MS = 365 * 86_400_000;
export const TEN_MINUTES = 600_000;

const OTHER_JOBS = 200;
const OTHERS_OF_TICK = 18;
/** Runs of a tick, in the middle: all items of the wide job, those of the resident one, and 18 jobs of 4.5 items. */
const RUNS_OF_TICK = WIDE_ITEMS + 6 + OTHERS_OF_TICK * 4.5;
const INSTANCES = ['10.0.3.11@-@7-9f2a', '10.0.3.12@-@7-9f2b', '10.0.3.13@-@7-9f2c'];
const JAVA = '10.0.9.9@-@4711';

export interface PlantedRun {
  readonly id: string;
  readonly jobName: string;
  readonly item: number;
  readonly fireTime: number;
  readonly origin: string;
  readonly source: string;
  readonly outcome: string | null;
  readonly instance: string;
  readonly begunAt: number;
  readonly durationMs: number;
  readonly latenessMs: number;
  /** False: only ElasticJob's table has it. */
  readonly isOurs: boolean;
}

interface PlantedEvent {
  readonly id: string;
  readonly jobName: string | null;
  readonly kind: string;
  readonly at: number;
  readonly items: string | null;
  readonly fireTime: number | null;
  readonly since: number | null;
  readonly detail: string;
}

export interface PlantedTick {
  readonly runs: readonly PlantedRun[];
  readonly events: readonly PlantedEvent[];
}

export function nameOf(job: number): string {
  return `job-${String(job).padStart(4, '0')}`;
}

/** Time between two fire times of the wide job, for so many runs in all. */
export function tickMsOf(rows: number): number {
  return Math.floor(YEAR_MS / Math.ceil(rows / RUNS_OF_TICK));
}

export function* plantedYear(rows: number): Generator<PlantedTick> {
  const chance = chanceOf(55);
  const tickMs = tickMsOf(rows);
  const ticks = Math.ceil(rows / RUNS_OF_TICK);
  let made = 0;
  for (let tick = 0; tick < ticks; tick += 1) {
    const fireTime = NOW - (ticks - tick) * tickMs;
    const isOurs = tick >= ticks / 10;
    const begin = (jobName: string, item: number, more: Partial<PlantedRun> = {}): PlantedRun => ({
      id: idOf(fireTime, (made += 1)),
      jobName,
      item,
      fireTime,
      origin: 'schedule',
      source: 'NORMAL_TRIGGER',
      outcome: outcomeBy(chance()),
      instance: INSTANCES[(item + (jobName.codePointAt(jobName.length - 1) ?? 0)) % INSTANCES.length]!,
      begunAt: fireTime + Math.floor(chance() * 50),
      durationMs: Math.floor(20 * 1.01 ** (chance() * 700)),
      latenessMs: Math.floor(chance() ** 4 * 500),
      isOurs,
      ...more,
    });
    const runs = Array.from({ length: WIDE_ITEMS }, (_, item) => begin(WIDE, item));
    for (let item = 0; item < 6; item += 1) runs.push(begin(RESIDENT, item, { origin: 'resident' }));
    for (let other = 0; other < OTHERS_OF_TICK; other += 1) {
      const job = (tick * OTHERS_OF_TICK + other) % OTHER_JOBS;
      for (let item = 0; item <= job % 8; item += 1) runs.push(begin(nameOf(job), item));
    }
    const again = runs.filter(({ outcome }) => outcome === null || chance() < 0.0002);
    for (const { item, jobName, outcome } of again) {
      const source = outcome === null ? 'FAILOVER' : 'MISFIRE';
      runs.push(begin(jobName, item, { source, outcome: 'succeeded', begunAt: fireTime + 60_000 }));
    }
    if (tick >= ticks * 0.9) runs.push(begin('java-job', tick % 4, { instance: JAVA, isOurs: false }));
    yield { runs, events: isOurs ? [...eventsOf(fireTime, tick, chance)] : [] };
  }
}

function* eventsOf(at: number, tick: number, chance: () => number): Generator<PlantedEvent> {
  let made = 0;
  const event = (kind: string, jobName: string | null, more: Partial<PlantedEvent> = {}): PlantedEvent => {
    const none = { items: null, fireTime: null, since: null, detail: '{"instanceId":"10.0.3.11@-@7-9f2a"}' };
    return { id: `e${idOf(at, (made += 1))}`, jobName, kind, at: at + made, ...none, ...more };
  };
  for (let some = 0; some < 6; some += 1) {
    const job = Math.floor(chance() * OTHER_JOBS);
    yield event(['joined', 'left', 'resharded', 'claimed'][some % 4]!, nameOf(job), { items: ',0,' });
  }
  if (tick % 20 === 0) {
    for (const kind of ['left', 'joined', 'resharded']) yield event(kind, WIDE);
    yield event('session', null);
  }
  if (chance() < 0.05) {
    const missed = { fireTime: at, since: at, detail: '{"count":1,"reason":"superseded"}' };
    yield event('missed', WIDE, { ...missed, items: ',3,5,' });
    yield event('missed', nameOf(tick % OTHER_JOBS), { ...missed, items: ',0,' });
  }
  if (tick % 2_000 === 1_999) yield event('configuration-changed', WIDE, { detail: '{"fields":["description"]}' });
}

function outcomeBy(chance: number): string | null {
  if (chance < 0.001) return null;
  if (chance < 0.011) return 'failed';
  return chance < 0.016 ? 'aborted' : 'succeeded';
}

/** As the writers of rows have them: ascending, and as long. */
function idOf(time: number, made: number): string {
  return `${time.toString(16).padStart(12, '0')}-7${made.toString(16).padStart(8, '0')}-a1b2c3d4e5f6`;
}

/** Numbers from 0 to 1 that are the same each time. @see "mulberry32", by Tommy Ettinger */
function chanceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = Math.trunc(state + 0x6d2b79f5);
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
