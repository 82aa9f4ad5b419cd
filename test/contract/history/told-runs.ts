import type { SettledOutcome, Trigger } from '../../../libs/elastic-job/src/domain/index.js';
import type { JobEvent, RecordedBegin } from '../../../libs/elastic-job/src/tracing/index.js';

export const JOB = 'settle-orders';
export const INSTANCE = '10.0.0.1@-@17-s1';
export const FIRE_TIME = Date.UTC(2030, 0, 1, 12);

export interface ToldRun {
  readonly jobName?: string;
  readonly items?: readonly number[];
  readonly source?: Trigger['source'];
  readonly fireTime?: number;
  /** @default every item succeeds */
  readonly outcomes?: ReadonlyMap<number, SettledOutcome>;
  /** Errors of the calls before the last one, which is told by the outcome. @default none */
  readonly failedCalls?: readonly unknown[];
  /** As with `monitorExecution`. */
  readonly isRecorded?: boolean;
}

/** The events of one run, as the runtime would send them, in parts between which time may pass. */
export function toldRun({ jobName = JOB, items = [0], source = 'NORMAL_TRIGGER', outcomes, ...more }: ToldRun = {}) {
  const trigger: Trigger = { jobName, fireTime: more.fireTime ?? FIRE_TIME, origin: 'schedule', source };
  const taskId = `${jobName}@-@${items.join(',')}@-@READY@-@${INSTANCE}`;
  const outcomeOf = (item: number): SettledOutcome => outcomes?.get(item) ?? { kind: 'succeeded' };
  const failures = new Map(
    items.flatMap((item): [number, unknown][] => {
      const outcome = outcomeOf(item);
      if (outcome.kind === 'aborted') return [[item, outcome.reason]];
      return outcome.kind === 'failed' ? [[item, outcome.error]] : [];
    }),
  );
  const begins = new Map(items.map((item) => [item, recordedBegin(item)]));
  const { failedCalls = [], isRecorded = false } = more;
  const begin: readonly JobEvent[] = [
    { kind: 'begun', trigger, taskId, items, begins: isRecorded ? begins : undefined },
    ...items.flatMap((item, index): JobEvent[] => [
      { kind: 'started', trigger, taskId, item, attempt: 1, latenessMs: index === 0 ? 7 : undefined },
      ...failedCalls.flatMap((error, failed): JobEvent[] => [
        { kind: 'retrying', trigger, item, attempt: failed + 2, error, delayMs: 1 },
        { kind: 'started', trigger, taskId, item, attempt: failed + 2 },
      ]),
    ]),
  ];
  const end: readonly JobEvent[] = [
    ...items.map((item): JobEvent => ({
      kind: 'settled',
      trigger,
      taskId,
      item,
      outcome: outcomeOf(item),
      durationMs: 5,
      begin: isRecorded ? begins.get(item) : undefined,
    })),
    { kind: 'finished', trigger, taskId, items, failures },
  ];
  return { trigger, taskId, begin, end };
}

function recordedBegin(item: number): RecordedBegin {
  return { run: 'run-1', begunAt: FIRE_TIME + 3, token: String(9_007_199_254_740_993n + BigInt(item)), launch: 1 };
}
