import type { SettledOutcome, Trigger } from '../../../libs/elastic-job/src/domain/index.js';
import type { JobEvent } from '../../../libs/elastic-job/src/tracing/index.js';

export const JOB = 'settle-orders';
const INSTANCE = '10.0.0.1@-@17-s1';
export const FIRE_TIME = Date.UTC(2030, 0, 1, 12);

export interface ToldRun {
  readonly jobName?: string;
  readonly items?: readonly number[];
  readonly source?: Trigger['source'];
  readonly fireTime?: number;
  /** @default every item succeeds */
  readonly outcomes?: ReadonlyMap<number, SettledOutcome>;
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
  const begin: readonly JobEvent[] = [
    { kind: 'begun', trigger, taskId, items },
    ...items.map((item): JobEvent => ({ kind: 'started', trigger, taskId, item, attempt: 1 })),
  ];
  const end: readonly JobEvent[] = [
    ...items.map((item): JobEvent => ({
      kind: 'settled',
      trigger,
      taskId,
      item,
      outcome: outcomeOf(item),
      durationMs: 5,
    })),
    { kind: 'finished', trigger, taskId, items, failures },
  ];
  return { trigger, taskId, begin, end };
}
