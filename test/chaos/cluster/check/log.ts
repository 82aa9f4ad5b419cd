import type { Early, Effect, Run, RunSource, Told } from './history.js';

/** A line of a handler: when it begins, when its work is done or has failed, and when its signal told it to stop. */
export interface RunLine {
  readonly step: 'begin' | 'end' | 'fail' | 'abort';
  /** Unique among all runs. */
  readonly run: string;
  readonly job: string;
  readonly item: number;
  readonly fireTime: number | null;
  readonly source: RunSource | null;
  /** Decimal. Null: the run has no token, so nothing fences it. */
  readonly token: string | null;
  readonly tokenEpoch: number;
  readonly worker: string;
  readonly begunAt: number;
  /** By the host's clock, even if the worker's own clock differs. */
  readonly at: number;
}

/** A line of the store for each write that it was asked for. */
export interface EffectLine extends RunLine {
  /** The order in which the store has committed. */
  readonly position: number;
  readonly isAccepted: boolean;
}

/** A line of a worker for each event of its runtime. */
export interface ToldLine {
  readonly worker: string;
  readonly at: number;
  readonly event: {
    readonly kind: string;
    readonly jobName?: string;
    readonly items?: readonly number[];
    readonly fireTime?: number;
    readonly since?: number;
  };
}

/**
 * The lines of an append-only log. A last line without an end was cut by the death of its writer, and is not counted.
 */
export function linesOf(text: string): readonly string[] {
  return text.split('\n').slice(0, -1);
}

/** Every run that has begun. A run is refused if the store has rejected its effect. */
export function runsIn(lines: readonly RunLine[], effects: readonly EffectLine[]): readonly Run[] {
  const refused = new Set(effects.filter(({ isAccepted }) => !isAccepted).map(({ run }) => run));
  const byRun = new Map<string, RunLine[]>();
  for (const line of lines) byRun.set(line.run, [...(byRun.get(line.run) ?? []), line]);
  return [...byRun].map(([run, its]) => toRun(its, refused.has(run)));
}

/** Everything that the store has taken. */
export function effectsIn(lines: readonly EffectLine[]): readonly Effect[] {
  return lines
    .filter(({ isAccepted }) => isAccepted)
    .map(({ token, ...line }) => ({ ...line, token: token === null ? undefined : BigInt(token) }));
}

/** The fire times that were reported as missed. */
export function toldIn(lines: readonly ToldLine[]): readonly Told[] {
  return lines.flatMap(({ worker, at, event }) => {
    const { kind, jobName: job, items = [], fireTime, since = fireTime } = event;
    if (kind !== 'missed' || job === undefined || fireTime === undefined || since === undefined) return [];
    return items.map((item) => ({ job, item, worker, at, from: since, to: fireTime }));
  });
}

/** The fire times that were reported as begun before they had come. */
export function earlyIn(lines: readonly ToldLine[]): readonly Early[] {
  return lines.flatMap(({ event: { kind, jobName: job, items = [], fireTime } }) =>
    kind !== 'early' || job === undefined || fireTime === undefined
      ? []
      : items.map((item) => ({ job, item, fireTime })),
  );
}

function toRun(lines: readonly RunLine[], isRefused: boolean): Run {
  const { job, item, fireTime, source, token, worker, begunAt } = lines[0]!;
  const atOf = (step: RunLine['step']) => lines.find((line) => line.step === step)?.at;
  const [doneAt, failedAt, abortedAt] = [atOf('end'), atOf('fail'), atOf('abort')];
  const isAborted = failedAt !== undefined || abortedAt !== undefined;
  const ended = doneAt !== undefined ? 'succeeded' : isAborted ? 'aborted' : 'open';
  return {
    job,
    item,
    worker,
    begunAt,
    endedAt: doneAt ?? failedAt,
    abortedAt,
    fireTime: fireTime ?? undefined,
    source: source ?? undefined,
    token: token === null ? undefined : BigInt(token),
    outcome: isRefused ? 'refused' : ended,
  };
}
