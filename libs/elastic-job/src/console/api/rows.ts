// Rows of what routes are asked: the rules judge a request, and `openapi.json` tells them.
import {
  type ExecutionSource,
  flag,
  oneOf,
  RERUN_LIMITS,
  type OptionRow,
  text,
  wholeNumber,
} from '../../domain/index.js';
import {
  ATTENTIONS,
  AUDIT_OUTCOMES,
  type AuditQuery,
  type EventsQuery,
  HISTORY_FORMATS,
  JOB_SORTS,
  type JobHistoryQuery,
  type JobsQuery,
  type MissedQuery,
  type PageQuery,
  RUN_OUTCOMES,
  type RunsQuery,
  type ServersQuery,
  type StatisticsQuery,
} from '../contract/index.js';
import {
  LONGEST_NAME,
  instant,
  listOf,
  matching,
  nodeName,
  parameters,
  reason,
  secretText,
  settings,
  shortText,
} from './request-rules.js';
import type {
  ConfigBody,
  CreateBody,
  ReasonBody,
  RemoveBody,
  RerunBody,
  SwitchBody,
  TriggerBody,
} from '../changes/index.js';

type RowsOf<Options> = Readonly<Record<keyof Required<Options>, OptionRow>>;

/** Most jobs, items or rows of a page. */
const MOST_OF_A_PAGE = 200;
/** Greatest number that the history's column `INT` holds. */
const MOST_ITEM = 2 ** 31 - 1;
const LONGEST_CURSOR = 4_096;
const LONGEST_FILTER = 512;
const SOURCES: readonly ExecutionSource[] = ['NORMAL_TRIGGER', 'MISFIRE', 'FAILOVER'];
const ORIGIN = /^(?:schedule|resident|(?:manual|rerun)(?::[^\p{Cc}]{1,100})?)$/u;
const KINDS = /^[a-z\d-]{1,40}(?:,[a-z\d-]{1,40}){0,39}$/;

const filter: OptionRow = { rule: shortText(LONGEST_FILTER) };

const PAGE = {
  cursor: { rule: shortText(LONGEST_CURSOR) },
  limit: { rule: wholeNumber({ from: 1, to: MOST_OF_A_PAGE }) },
} as const satisfies RowsOf<PageQuery>;

const JOBS = {
  ...PAGE,
  q: filter,
  status: { rule: oneOf(['OK', 'DISABLED', 'CRASHED', 'SHARDING_FLAG']) },
  attention: { rule: oneOf([...ATTENTIONS, 'any']) },
  label: filter,
  template: filter,
  server: filter,
  sort: { rule: oneOf(JOB_SORTS.flatMap((sort) => [sort, `-${sort}`])) },
} as const satisfies RowsOf<JobsQuery>;

const AUDIT = {
  ...PAGE,
  job: filter,
  server: filter,
  who: filter,
  action: filter,
  outcome: { rule: oneOf(AUDIT_OUTCOMES) },
  from: { rule: instant() },
  to: { rule: instant() },
} as const satisfies RowsOf<AuditQuery>;

export interface FireTimesQuery {
  readonly count?: number;
  readonly from?: string;
}

export interface ExecutionsQuery extends PageQuery {
  /** Number of an item. @default all items of the job */
  readonly item?: number;
  readonly outcome?: 'succeeded' | 'failed' | 'unfinished';
  readonly source?: ExecutionSource;
  readonly from?: string;
  readonly to?: string;
}

/** Rows of what the lists of the history have in common. */
const TABLE = {
  ...PAGE,
  format: { rule: oneOf(HISTORY_FORMATS) },
  job: filter,
  item: { rule: wholeNumber({ from: 0, to: MOST_ITEM }) },
  from: { rule: instant() },
  to: { rule: instant() },
} as const satisfies RowsOf<MissedQuery>;

const RUNS = {
  ...TABLE,
  fireTime: { rule: instant() },
  origin: { rule: matching('schedule, resident, manual, rerun, manual:{id} or rerun:{id}', ORIGIN) },
  source: { rule: oneOf(SOURCES) },
  outcome: { rule: oneOf(RUN_OUTCOMES) },
  instance: filter,
  version: filter,
  twice: { rule: flag() },
} as const satisfies RowsOf<RunsQuery>;

const EVENTS = {
  ...TABLE,
  kinds: { rule: matching('at most 40 kinds of events, with commas between them', KINDS) },
  instance: filter,
} as const satisfies RowsOf<EventsQuery>;

export interface LiveQuery {
  readonly topics?: string;
}

export interface PreviewQuery {
  readonly preview?: boolean;
}

export interface LogInBody {
  readonly name: string;
  readonly password: string;
}

/** Rows of queries. */
export const QUERIES = {
  page: PAGE,
  jobs: JOBS,
  audit: AUDIT,
  servers: { ...PAGE, q: filter } satisfies RowsOf<ServersQuery>,
  fireTimes: {
    count: { rule: wholeNumber({ from: 1, to: 100 }) },
    from: { rule: instant() },
  } satisfies RowsOf<FireTimesQuery>,
  executions: {
    ...PAGE,
    item: { rule: wholeNumber({ from: 0, to: MOST_ITEM }) },
    outcome: { rule: oneOf(['succeeded', 'failed', 'unfinished']) },
    source: { rule: oneOf(SOURCES) },
    from: { rule: instant() },
    to: { rule: instant() },
  } satisfies RowsOf<ExecutionsQuery>,
  runs: RUNS,
  events: EVENTS,
  missed: TABLE,
  jobHistory: {
    from: { rule: instant() },
    to: { rule: instant() },
    limit: { rule: wholeNumber({ from: 1, to: MOST_OF_A_PAGE }) },
  } satisfies RowsOf<JobHistoryQuery>,
  statistics: {
    from: { rule: instant() },
    to: { rule: instant() },
    buckets: { rule: wholeNumber({ from: 1, to: MOST_OF_A_PAGE }) },
  } satisfies RowsOf<StatisticsQuery>,
  live: { topics: { rule: shortText(LONGEST_CURSOR) } } satisfies RowsOf<LiveQuery>,
  preview: { preview: { rule: flag() } } satisfies RowsOf<PreviewQuery>,
};

const REASON = { reason: { rule: reason() } } as const satisfies RowsOf<ReasonBody>;

/** Rows of bodies. */
export const BODIES = {
  logIn: {
    name: { rule: shortText(LONGEST_NAME), required: true },
    password: { rule: secretText(LONGEST_NAME), required: true },
  } satisfies RowsOf<LogInBody>,
  reason: REASON,
  trigger: { ...REASON, parameters: { rule: parameters() } } satisfies RowsOf<TriggerBody>,
  rerun: {
    ...REASON,
    items: { rule: listOf(wholeNumber({ from: 0, to: MOST_ITEM }), RERUN_LIMITS.targets), required: true },
    fireTimes: { rule: listOf(instant(), RERUN_LIMITS.fireTimes), required: true },
    parameters: { rule: parameters() },
    anyTime: { rule: flag() },
  } satisfies RowsOf<RerunBody>,
  switch: { ...REASON, newServers: { rule: flag() } } satisfies RowsOf<SwitchBody>,
  remove: { ...REASON, name: { rule: text(), required: true } } satisfies RowsOf<RemoveBody>,
  config: {
    ...REASON,
    settings: { rule: settings('changes of settings, by their names'), required: true },
  } satisfies RowsOf<ConfigBody>,
  create: {
    ...REASON,
    name: { rule: nodeName('the name of a job'), required: true },
    template: { rule: nodeName('the name of a template'), required: true },
    settings: { rule: settings('settings, by their names') },
  } satisfies RowsOf<CreateBody>,
};
