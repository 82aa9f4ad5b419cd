import type { Clock } from '../../clock/index.js';
import type { EventQuery, JobHistory, RunQuery } from '../../tracing/index.js';
import {
  type ConsoleCaller,
  ConsoleProblem,
  type EventsAnswer,
  type EventsQuery,
  formatCursor,
  hasJobPrefix,
  type HistoryState,
  isoOf,
  type JobHistoryAnswer,
  type JobHistoryQuery,
  type MissedAnswer,
  type MissedQuery,
  parseCursor,
  type RerunPreviewAnswer,
  type RunAnswer,
  type RunsAnswer,
  type RunsQuery,
  seesJob,
  type StatisticsAnswer,
  type StatisticsQuery,
  unknownJobProblem,
  type WhyAnswer,
} from '../contract/index.js';
import { beginOf, type JobSchedule } from './fire-time-window.js';
import { columnAnswer, bucketAnswer, eventRow, missedRow, runAnswer, runRow } from './history-rows.js';
import type { Answered, HistoryGate } from './history-gate.js';
import { withOutcomes } from './last-outcomes.js';
import { type PlacedItem, WHY_KINDS, whyOf } from './why.js';

export interface HistoryReadParts {
  readonly clock: Clock;
  readonly gate: HistoryGate;
}

type Seer = Pick<ConsoleCaller, 'jobPrefix'>;
interface Page<Row> {
  readonly items: readonly Row[];
  readonly cursor: string | undefined;
}

const PAGE = 50;
const DAY_MS = 86_400_000;
const COLUMNS = 45;
const MOST_COLUMNS = 1_000;
const NEXT = 10;
const WHY_EVENTS = 50;
const WHY_RUNS = 20;

/** Answers from the history, each within the job prefix of its caller. */
export class HistoryReads {
  constructor(private readonly parts: HistoryReadParts) {}

  /** @throws {MissingRunHistoryError} @throws {ConsoleProblem} 400, 404, 503 */
  runs(query: RunsQuery, caller: Seer): Promise<RunsAnswer> {
    const filter = { ...filterOf(query, caller), ...runFilterOf(query) } satisfies RunQuery;
    return this.page('runs', query, caller, async (history, page) => {
      if (query.twice !== true) {
        const { cursor, rows } = await history.runs({ ...filter, ...page });
        return { items: rows.map(runRow), cursor };
      }
      const { outcome: _outcome, source: _source, ...targets } = filter;
      const doubles = await history.doubles({ ...targets, limit: page.limit });
      return { items: doubles.flatMap(({ runs }) => runs.map(runRow)), cursor: undefined };
    });
  }

  /** @throws as `runs` */
  async run(id: string, caller: Seer): Promise<RunAnswer> {
    const { gate } = this.parts;
    const answered = await gate.ask(['run', id], async (history) => ({ found: await history.run(id) }));
    const { found } = answered.answer;
    if (found === undefined || !seesJob(caller, found.run.jobName)) {
      throw new ConsoleProblem(404, 'UNKNOWN_RUN', `The history has no run "${id}".`);
    }
    return { ...runAnswer(found), ...stateOf(answered) };
  }

  /** @throws as `runs` */
  events(query: EventsQuery, caller: Seer): Promise<EventsAnswer> {
    const filter = { ...filterOf(query, caller), ...eventFilterOf(query) } satisfies EventQuery;
    return this.page('events', query, caller, async (history, page) => {
      const { cursor, rows } = await history.events({ ...filter, ...page });
      return { items: rows.map(eventRow), cursor };
    });
  }

  /** @throws as `runs` */
  missed(query: MissedQuery, caller: Seer): Promise<MissedAnswer> {
    const filter = filterOf(query, caller);
    return this.page('missed', query, caller, async (history, page) => {
      const { cursor, rows } = await history.missed({ ...filter, ...page });
      return { items: rows.map(missedRow), cursor };
    });
  }

  /** The fate of each item at each fire time of a window. @throws as `runs` */
  async fireTimes(job: string, schedule: JobSchedule, query: JobHistoryQuery): Promise<JobHistoryAnswer> {
    const { clock, gate } = this.parts;
    const now = clock.wallNow();
    const { limit = COLUMNS } = query;
    const to = msOf(query.to) ?? now;
    assertOrder(msOf(query.from), to);
    const from = beginOf({ from: msOf(query.from), to, limit }, schedule);
    const { changedAt, nextFireTime, shardingTotalCount, timeZone } = schedule;
    const today = { changedAt, shardingTotalCount, ...(nextFireTime !== undefined && { nextFireTime }) };
    const answered = await gate.ask(['fire times', job, query], async (history) => {
      const found = await history.fireTimes({ jobName: job, from, to, limit, now, ...today });
      const window = { from: isoOf(from), to: isoOf(to), next: to < now ? [] : nextOf(schedule, now) };
      const { columns, expectedFrom, isCut: cut } = found;
      return { ...window, columns: columns.map(columnAnswer), expectedFrom: isoOf(expectedFrom), cut };
    });
    return { job, timeZone, ...answered.answer, ...stateOf(answered) };
  }

  /** Lays outcomes over the preview of a re-run. @throws as `runs` */
  async outcomes(job: string, schedule: JobSchedule, preview: RerunPreviewAnswer): Promise<RerunPreviewAnswer> {
    const now = this.parts.clock.wallNow();
    const { changedAt, nextFireTime, shardingTotalCount } = schedule;
    const today = { changedAt, shardingTotalCount, ...(nextFireTime !== undefined && { nextFireTime }) };
    const from = Math.min(...preview.targets.map(({ fireTime }) => Date.parse(fireTime)));
    const asked = { jobName: job, from, to: now, limit: MOST_COLUMNS, now, ...today };
    const { answer } = await this.parts.gate.ask(['outcomes', job, from], (history) => history.fireTimes(asked));
    return withOutcomes(preview, answer);
  }

  /** @throws as `runs` */
  async statistics(job: string, { buckets, from, to }: StatisticsQuery): Promise<StatisticsAnswer> {
    const { clock, gate } = this.parts;
    const until = msOf(to) ?? clock.wallNow();
    const since = msOf(from) ?? until - DAY_MS;
    assertOrder(since, until);
    const answered = await gate.ask(['statistics', job, from, to, buckets], (history) =>
      history.statistics({ jobName: job, from: since, to: until, ...(buckets !== undefined && { buckets }) }),
    );
    return { job, buckets: answered.answer.map(bucketAnswer), ...stateOf(answered) };
  }

  /** Why an item is where it is. @param reuseMs an answer that is younger is given again @throws as `runs` */
  async why(placed: PlacedItem, reuseMs = 0): Promise<WhyAnswer> {
    const { item: shardingItem, job: jobName } = placed;
    const read = async (history: JobHistory) => {
      const events = await history.events({ jobName, shardingItem, kinds: WHY_KINDS, limit: WHY_EVENTS });
      const runs = await history.runs({ jobName, shardingItem, limit: WHY_RUNS });
      return { events: events.rows, runs: runs.rows };
    };
    const answered = await this.parts.gate.ask(['why', jobName, shardingItem], read, reuseMs);
    const { events, runs } = answered.answer;
    return { ...whyOf(placed, events, runs), ...stateOf(answered) };
  }

  private async page<Row>(
    list: string,
    query: RunsQuery | EventsQuery | MissedQuery,
    caller: Seer,
    read: (history: JobHistory, page: { readonly limit: number; readonly cursor?: string }) => Promise<Page<Row>>,
  ) {
    const { cursor, format: _format, limit = PAGE, ...filter } = query;
    const place = { ...filter, prefix: caller.jobPrefix };
    const [after] = cursor === undefined ? [] : parseCursor(list, place, cursor);
    const page = { limit, ...(after !== undefined && { cursor: String(after) }) };
    const answered = await this.parts.gate.ask([list, place, page], (history) => read(history, page));
    const { cursor: next, items } = answered.answer;
    return { items, cursor: next === undefined ? null : formatCursor(list, place, [next]), ...stateOf(answered) };
  }
}

function stateOf({ at, isStale }: Answered<unknown>): HistoryState {
  return { asOf: isoOf(at), stale: isStale };
}

/** The filter that all lists have. Without a job only those that are there for the caller. */
function filterOf({ from, item, job, to }: MissedQuery, caller: Seer) {
  if (job !== undefined && !seesJob(caller, job)) throw unknownJobProblem(job);
  if (item !== undefined && job === undefined) {
    throw wrongQuery('item', 'needs job, since item numbers are those of one job');
  }
  const since = msOf(from);
  const until = msOf(to);
  assertOrder(since, until);
  return {
    ...(job !== undefined && { jobName: job }),
    ...(job === undefined && hasJobPrefix(caller) && { jobPrefix: caller.jobPrefix! }),
    ...(item !== undefined && { shardingItem: item }),
    ...(since !== undefined && { from: since }),
    ...(until !== undefined && { to: until }),
  };
}

function runFilterOf({ fireTime, instance, origin, outcome, source, version }: RunsQuery): RunQuery {
  const at = msOf(fireTime);
  return {
    ...(at !== undefined && { fireTime: at }),
    ...(instance !== undefined && { instance }),
    // oxlint-disable-next-line no-unsafe-type-assertion -- the row of the query has checked it
    ...(origin !== undefined && { origin: origin as NonNullable<RunQuery['origin']> }),
    ...(outcome !== undefined && { outcome }),
    ...(source !== undefined && { source }),
    ...(version !== undefined && { version }),
  };
}

function eventFilterOf({ instance, kinds }: EventsQuery): EventQuery {
  return {
    ...(instance !== undefined && { instance }),
    ...(kinds !== undefined && { kinds: [...new Set(kinds.split(','))] }),
  };
}

function msOf(instant: string | undefined): number | undefined {
  return instant === undefined ? undefined : Date.parse(instant);
}

function assertOrder(from: number | undefined, to: number | undefined): void {
  if (from !== undefined && to !== undefined && from >= to) throw wrongQuery('from', 'must be before to');
}

function wrongQuery(field: string, problem: string): ConsoleProblem {
  return new ConsoleProblem(400, 'INVALID_ARGUMENT', `The query is wrong: ${field} ${problem}.`, {
    fields: [{ field, problem }],
  });
}

function nextOf({ nextFireTime }: JobSchedule, now: number): readonly string[] {
  const next: string[] = [];
  for (let at = nextFireTime?.(now); at !== undefined && next.length < NEXT; at = nextFireTime?.(at)) {
    next.push(isoOf(at));
  }
  return next;
}
