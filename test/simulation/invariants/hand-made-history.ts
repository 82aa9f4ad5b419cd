import { formatConfiguration } from '../../../libs/elastic-job/src/coordination/index.js';
import {
  formatRunRecord,
  PROTOCOL,
  type RunRecord,
  formatStartLedger,
  type JobOptions,
  resolveJobOptions,
  type TriggerOrigin,
} from '../../../libs/elastic-job/src/domain/index.js';
import { History } from '../history.js';
import type { Entry, Fact, LoggedOperation, NodeWrite, RunFact } from '../log.js';
import type { PlannedJob } from '../world/plan.js';

export const JOB = 'job';
/** Begin of hand-made histories. Times are given in seconds after it. */
export const START = Date.UTC(2030, 0, 1);
export const ITEMS = '/job/sharding';
const CHILD = 'child';
/** In seconds after `START`. */
const FIRE_TIMES = [10, 20, 30, 40, 50];

const OPTIONS = {
  name: JOB,
  cron: '0/10 * * * * ?',
  shardingTotalCount: 2,
  failover: true,
  timeoutMs: 20_000,
  failoverQueueLimit: 1,
  jobParameter: 'v0',
  timeZone: 'UTC',
};

interface BeginOptions {
  readonly by: number;
  readonly fireTime: number;
  readonly origin?: TriggerOrigin;
  readonly isClaim?: boolean;
  readonly endsAt?: number;
  /** Number of the launch, for work in tasks. */
  readonly launch?: number;
  readonly run?: Partial<RunFact>;
  /** @default JOB */
  readonly jobName?: string;
  /** The child is started for these fire times, in seconds, as the item ends. */
  readonly starts?: readonly number[];
  /** Further fields of the record. */
  readonly record?: Partial<RunRecord>;
  /** Further writes of the transaction that settles the run. */
  readonly alongside?: readonly NodeWrite[];
}

/** Faults of a job that is started after another one, for the fire time of second 30. */
export type ChildFault = 'too early' | 'an item to come' | 'apart' | 'not started' | 'not run' | 'not asked';

/** Writes a history by hand: two instances, and a job with two items that fires every ten seconds, for a minute. */
export class HandMadeHistory {
  private readonly noted: { readonly at: number; readonly fact: Fact }[] = [];
  private runs = 0;
  private child: Omit<PlannedJob, 'periodMs'> | undefined;

  constructor(private readonly options: Omit<PlannedJob, 'periodMs'> = OPTIONS) {}

  /** A history without faults, except for the fire times (in seconds) and items that are left out. */
  static healthy(isLeftOut: (item: number, fireTime: number) => boolean = () => false): HandMadeHistory {
    const history = new HandMadeHistory();
    history.open();
    for (const fireTime of FIRE_TIMES) {
      for (const item of [0, 1])
        if (!isLeftOut(item, fireTime)) history.begin(fireTime + 0.01, item, { by: item, fireTime });
    }
    history.note(60, { kind: 'closing' });
    return history;
  }

  /** A history of a job whose items run at all times, except for those that are left out. */
  static resident(isLeftOut: (item: number) => boolean = () => false): HandMadeHistory {
    const { name, shardingTotalCount, timeZone, jobParameter } = OPTIONS;
    const history = new HandMadeHistory({ name, shardingTotalCount, timeZone, jobParameter, resident: true });
    history.open();
    for (const item of [0, 1]) {
      if (isLeftOut(item)) continue;
      history.begin(1, item, { by: item, fireTime: 1, origin: 'resident', endsAt: 40 });
      history.begin(40.1, item, { by: item, fireTime: 40.1, origin: 'resident', endsAt: 60 });
    }
    return history.note(60, { kind: 'closing' });
  }

  /** A history of a job and of one that is started after it, without faults except for the given one. */
  static withChild(fault?: ChildFault): HandMadeHistory {
    const history = new HandMadeHistory();
    const child = { name: CHILD, after: JOB, shardingTotalCount: 1, timeZone: 'UTC', jobParameter: 'v0' };
    // The item is with the leader, whatever its rank.
    history.child = { ...child, strategy: 'STICKY' };
    history.open();
    for (const fireTime of FIRE_TIMES) history.runBoth(fireTime, fireTime === 30 ? fault : undefined);
    return history.note(60, { kind: 'closing' });
  }

  private runBoth(fireTime: number, fault?: ChildFault): void {
    const starts = FIRE_TIMES.filter((time) => time <= fireTime);
    const isToCome = fault === 'an item to come';
    const isEarly = fault === 'too early' || isToCome;
    const isLate = fault === undefined || fault === 'not run';
    const [begunAt, endsAt] = [fireTime + 0.01, fireTime + 1];
    this.begin(begunAt, 0, { by: 0, fireTime, endsAt: endsAt - 0.2, starts: isEarly ? starts : [] });
    if (isToCome) this.begin(endsAt + 1, 1, { by: 1, fireTime });
    else this.begin(begunAt, 1, { by: 1, fireTime, endsAt, starts: isLate ? starts : [] });
    if (fault === 'apart') this.commit(endsAt + 0.01, sessionOf(1), [started(starts)]);
    if (fault === 'not run' || fault === 'not started') return;
    this.begin(endsAt + 0.02, 0, { by: 0, fireTime, jobName: CHILD });
  }

  note(seconds: number, fact: Fact): this {
    this.noted.push({ at: START + seconds * 1_000, fact });
    return this;
  }

  commit(
    seconds: number,
    session: string,
    writes: readonly NodeWrite[],
    operations: readonly LoggedOperation[] = [],
  ): this {
    return this.note(seconds, { kind: 'commit', session, operations, writes });
  }

  /** Begins, runs, reports and settles an item. */
  begin(
    seconds: number,
    item: number,
    {
      by,
      fireTime,
      origin = 'schedule',
      isClaim,
      endsAt,
      launch,
      run,
      jobName = JOB,
      starts = [],
      ...more
    }: BeginOptions,
  ): this {
    const path = `/${jobName}/sharding/${item}`;
    const number = (this.runs += 1);
    const target = { fireTime: START + fireTime * 1_000, origin };
    const begunAt = START + seconds * 1_000;
    const record = {
      run: String(number),
      by: idOf(by),
      target,
      attempt: 1,
      begunAt,
      ...(launch && { launch }),
      ...more.record,
    };
    const settled = { at: 0, outcome: 'succeeded' as const };
    this.commit(seconds, sessionOf(by), [
      ...(isClaim
        ? [deleted(`/${jobName}/leader/failover/items/${item}`), created(`${path}/failovering`, idOf(by))]
        : []),
      created(`${path}/running`, idOf(by)),
      changed(`${path}/record`, formatRunRecord(record, PROTOCOL)),
    ]);
    const source = isClaim ? 'FAILOVER' : 'NORMAL_TRIGGER';
    const trigger = { jobName, ...target, source } as const;
    const wall = START + seconds * 1_000;
    const token = BigInt(number);
    const given = {
      jobName,
      item,
      instance: by,
      ...target,
      source,
      token,
      total: jobName === CHILD ? 1 : 2,
      parameter: 'v0',
      isDeaf: false,
    } as const;
    const taskId = `task-${number}`;
    this.note(seconds, { kind: 'event', instance: by, wall, event: { kind: 'begun', trigger, taskId, items: [item] } });
    this.note(seconds, { kind: 'run', run: number, ...given, ...run });
    const end = endsAt ?? seconds + 1;
    if (end === Infinity) return this;
    this.note(end, { kind: 'returned', run: number });
    this.commit(end, sessionOf(by), [
      ...(isClaim ? [deleted(`${path}/failovering`)] : []),
      changed(`${path}/record`, formatRunRecord({ ...record, settled }, PROTOCOL)),
      deleted(`${path}/running`),
      ...(starts.length > 0 ? [started(starts)] : []),
      ...(more.alongside ?? []),
    ]);
    const outcome = { kind: 'succeeded' } as const;
    return this.note(end, {
      kind: 'event',
      instance: by,
      wall: START + end * 1_000,
      event: { kind: 'settled', trigger, taskId, item, outcome, durationMs: 1 },
    });
  }

  build(): History {
    let zxid = 0n;
    const inOrder = this.noted.toSorted((a, b) => a.at - b.at);
    const entries = inOrder.map(({ at, fact }): Entry => {
      if (fact.kind === 'commit') zxid += 1n;
      return { at, zxid, ...fact };
    });
    const job = { ...this.options, periodMs: 10_000, monitorExecution: true };
    const children = this.child === undefined ? [] : [{ ...this.child, periodMs: 10_000, monitorExecution: true }];
    return new History({ jobs: [job, ...children], latencyMs: 0, sessionTimeoutMs: 4_000 }, entries);
  }

  private open(): void {
    this.install(this.options, [0, 1]);
    if (this.child !== undefined) this.install(this.child, [0]);
    if (this.child !== undefined) this.commit(0, sessionOf(0), [{ ...started([]), kind: 'created' }]);
    for (const instance of [0, 1]) {
      this.note(0, { kind: 'process', instance, hungGraceMs: 1_000, suspendedGraceMs: 1_000 });
    }
  }

  private install(options: JobOptions & { readonly name: string }, items: readonly number[]): void {
    const root = `/${options.name}`;
    this.commit(0, sessionOf(0), [
      created(`${root}/config`, configOf(options)),
      created(`${root}/leader/election/term`, ''),
      { ...created(`${root}/leader/election/instance`, idOf(0)), isEphemeral: true },
      ...[0, 1].flatMap((index) => [
        created(`${root}/servers/10.0.0.${index + 1}`, ''),
        created(`${root}/instances/${idOf(index)}`, 'labels: nestjs-elastic-job/1 can=reruns'),
      ]),
      ...items.flatMap((item) => ['', '/record'].map((name) => created(`${root}/sharding/${item}${name}`, ''))),
    ]);
    const guard = [{ kind: 'check', path: `${root}/leader/election/term`, version: 0 }] as const;
    const owners = items.map((item) => created(`${root}/sharding/${item}/instance`, idOf(item)));
    this.commit(0.1, sessionOf(0), owners, guard);
  }
}

/** Text of the `config` node of a job with these options. */
export function configOf(options: JobOptions = OPTIONS, changes: Partial<JobOptions> = {}): string {
  return formatConfiguration(resolveJobOptions({ ...options, ...changes }, { place: 'a spec' }));
}

function started(fireTimes: readonly number[]): NodeWrite {
  const starts = fireTimes.map((seconds) => ({ fireTime: START + seconds * 1_000, at: START }));
  return changed(`/${CHILD}/after`, formatStartLedger({ parents: [JOB], pending: new Map(), starts }));
}

export function idOf(instance: number): string {
  return `10.0.0.${instance + 1}@-@${1_000 + instance}-${sessionOf(instance)}`;
}

export function sessionOf(instance: number): string {
  return `5e55${instance}`;
}

export function created(path: string, data = ''): NodeWrite {
  return { kind: 'created', path, data, isEphemeral: false };
}

export function changed(path: string, data: string): NodeWrite {
  return { kind: 'changed', path, data, isEphemeral: false };
}

export function deleted(path: string): NodeWrite {
  return { kind: 'deleted', path, data: '', isEphemeral: false };
}
