import { oneOf, type OptionRow, OptionTable, rule, type Rule, wholeNumber } from '../../../domain/index.js';
import type {
  EventQuery,
  FireTimesQuery,
  JobHistory,
  RunFilter,
  RunQuery,
  StatisticsQuery,
} from '../../job-history.js';
import type { TracePageQuery } from '../../trace-query.js';

/** Most rows of a page. */
const MOST_ROWS = 1_000;
/** The last instant of the year 9999, which every database accepts as a timestamp. */
const LAST_INSTANT = 253_402_300_799_999;

const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0');

/** A list of texts. PostgreSQL refuses NUL in a text. */
function texts(most: number): Rule {
  const accepts = (value: unknown) => Array.isArray(value) && value.length <= most && value.every(isText);
  return rule(`a list of at most ${most} texts`, accepts);
}

const text = rule('a text without NUL', isText);
const instant = rule(
  'an instant in milliseconds since the epoch',
  (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LAST_INSTANT,
);
const origin = rule(
  '"schedule", "resident", "manual", "rerun", or "manual:" or "rerun:" and an id',
  (value) => isText(value) && /^(?:schedule|resident|manual|rerun|(?:manual|rerun):.+)$/s.test(value),
);

const PAGE = {
  limit: { rule: wholeNumber({ from: 1, to: MOST_ROWS }) },
  cursor: { rule: text },
} as const satisfies Readonly<Record<keyof TracePageQuery, OptionRow>>;

const RUN_FILTER = {
  jobName: { rule: text },
  jobPrefix: { rule: text },
  shardingItem: { rule: wholeNumber({ from: 0 }) },
  fireTime: { rule: instant },
  origin: { rule: origin },
  source: { rule: oneOf(['NORMAL_TRIGGER', 'MISFIRE', 'FAILOVER']) },
  outcome: { rule: oneOf(['succeeded', 'failed', 'aborted', 'fenced', 'running', 'lost']) },
  instance: { rule: text },
  version: { rule: text },
  from: { rule: instant },
  to: { rule: instant },
} as const satisfies Readonly<Record<keyof RunFilter, OptionRow>>;

const EVENTS = {
  jobName: { rule: text },
  jobPrefix: { rule: text },
  kinds: { rule: texts(40) },
  shardingItem: { rule: wholeNumber({ from: 0 }) },
  instance: { rule: text },
  from: { rule: instant },
  to: { rule: instant },
  ...PAGE,
} as const satisfies Readonly<Record<keyof EventQuery, OptionRow>>;

const FIRE_TIMES = {
  jobName: { rule: text, required: true },
  from: { rule: instant, required: true },
  to: { rule: instant, required: true },
  shardingTotalCount: { rule: wholeNumber({ from: 1 }), required: true },
  nextFireTime: { rule: rule('a function', (value) => typeof value === 'function') },
  changedAt: { rule: instant, required: true },
  now: { rule: instant, required: true },
  limit: { rule: wholeNumber({ from: 1, to: 1_000 }) },
} as const satisfies Readonly<Record<keyof FireTimesQuery, OptionRow>>;

const STATISTICS = {
  jobName: { rule: text },
  jobPrefix: { rule: text },
  from: { rule: instant, required: true },
  to: { rule: instant, required: true },
  buckets: { rule: wholeNumber({ from: 1, to: 200 }) },
} as const satisfies Readonly<Record<keyof StatisticsQuery, OptionRow>>;

const { outcome: _outcome, source: _source, ...DOUBLES } = RUN_FILTER;

/** Options of the queries of a `JobHistory`, by method. */
export const JOB_HISTORY_TABLES = {
  runs: new OptionTable({ ...RUN_FILTER, ...PAGE } satisfies Readonly<Record<keyof RunQuery, OptionRow>>, 'the query'),
  events: new OptionTable(EVENTS, 'the query'),
  missed: new OptionTable(EVENTS, 'the query'),
  fireTimes: new OptionTable(FIRE_TIMES, 'the query'),
  doubles: new OptionTable({ ...DOUBLES, limit: PAGE.limit }, 'the query'),
  pulses: new OptionTable(
    { jobNames: { rule: texts(200), required: true }, fireTimes: { rule: wholeNumber({ from: 1, to: 50 }) } },
    'the query',
  ),
  statistics: new OptionTable(STATISTICS, 'the query'),
} satisfies Readonly<Record<Exclude<keyof JobHistory, 'run'>, OptionTable>>;
