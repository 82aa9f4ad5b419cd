/**
 * The fields of the form, in the order in which they are shown. Ranges, units and words are those of the rules of
 * options; a test compares the two. Who may change what is the decision of the API: `isOfAdmins` says it before.
 */
type Kind = 'text' | 'lines' | 'number' | 'flag' | 'word' | 'names' | 'size' | 'props';

export interface Field {
  readonly name: string;
  readonly kind: Kind;
  /** Of numbers. */
  readonly from?: number;
  readonly to?: number;
  readonly isWhole?: boolean;
  readonly unit?: 'ms' | 's' | 'min';
  readonly words?: readonly string[];
  /** Words that are known, of a field that takes others as well. */
  readonly known?: readonly string[];
  /** True if it may have no value. An empty text of another field is an empty text. */
  readonly mayBeNone?: boolean;
  /** Its value if it is not given; undefined: none. */
  readonly usual?: string | number | boolean;
  readonly isOfAdmins?: boolean;
}

const GREATEST_INT = 2_147_483_647;

export type GroupName = 'schedule' | 'items' | 'failure' | 'handlers' | 'about' | 'cluster';

const GROUPS: Readonly<Record<GroupName, readonly Field[]>> = {
  schedule: [
    { name: 'cron', kind: 'text', mayBeNone: true },
    { name: 'timeZone', kind: 'text', mayBeNone: true },
    word('clockChange', ['auto', 'quartz', 'natural']),
    flag('misfire', true),
    word('misfirePolicy', ['once', 'skip', 'all']),
    whole('misfireLimit', 100, { from: 1, to: 1_000 }),
    { name: 'after', kind: 'names' },
    flag('resident', false),
  ],
  items: [
    { ...whole('shardingTotalCount', undefined, { from: 1 }), isOfAdmins: true },
    { name: 'shardingItemParameters', kind: 'lines' },
    { name: 'jobParameter', kind: 'lines' },
    {
      name: 'strategy',
      kind: 'text',
      known: ['BALANCED', 'AVG_ALLOCATION', 'ODEVITY', 'ROUND_ROBIN', 'SINGLE_SHARDING_BALANCE', 'STICKY'],
      mayBeNone: true,
      usual: 'BALANCED',
    },
    flag('staticSharding', false),
    { name: 'concurrency', kind: 'size', from: 1, to: GREATEST_INT, mayBeNone: true },
    { name: 'jobExecutorThreadPoolSizeProviderType', kind: 'text', known: ['CPU', 'SINGLE_THREAD'], mayBeNone: true },
  ],
  failure: [
    flag('failover', false),
    flag('monitorExecution', true),
    { ...whole('timeoutMs', undefined, { from: 1 }), unit: 'ms', mayBeNone: true },
    word('onHung', ['wait', 'release', 'terminate']),
    whole('maxAttempts', 1, { from: 1 }),
    { ...whole('retryDelayMs', 1_000, { from: 0 }), unit: 'ms' },
    { name: 'retryFactor', kind: 'number', from: 1, to: 100, usual: 2 },
    { ...whole('retryMaxDelayMs', 60_000, { from: 0 }), unit: 'ms' },
    { name: 'retryJitter', kind: 'number', from: 0, to: 1, usual: 0.5 },
    whole('maxExecutorFailovers', 3, { from: 0 }),
    whole('failoverQueueLimit', 10_000, { from: 1 }),
  ],
  handlers: [
    { name: 'props', kind: 'props', isOfAdmins: true },
    {
      name: 'jobErrorHandlerType',
      kind: 'text',
      known: ['LOG', 'IGNORE', 'THROW', 'EMAIL', 'WECHAT', 'DINGTALK', 'SLACK', 'WEBHOOK'],
      mayBeNone: true,
      isOfAdmins: true,
    },
    { name: 'jobListenerTypes', kind: 'names', isOfAdmins: true },
    { name: 'jobExtraConfigurations', kind: 'lines', mayBeNone: true, isOfAdmins: true },
  ],
  about: [
    { name: 'description', kind: 'text' },
    { name: 'label', kind: 'text', mayBeNone: true },
    flag('disabled', false),
  ],
  cluster: [
    { ...whole('maxTimeDiffSeconds', -1, { from: -GREATEST_INT }), unit: 's' },
    { ...whole('reconcileIntervalMinutes', 10, { from: -GREATEST_INT }), unit: 'min' },
    { ...whole('serverRetentionMinutes', 1_440, { from: 0 }), unit: 'min' },
    { ...whole('shardingTimeoutMs', 30_000, { from: 1 }), unit: 'ms' },
    { ...whole('shutdownGraceMs', 5_000, { from: 0 }), unit: 'ms' },
  ],
};

/** The fields in their groups. */
export const FIELD_GROUPS: readonly (readonly [GroupName, readonly Field[]])[] = (
  ['schedule', 'items', 'failure', 'handlers', 'about', 'cluster'] as const
).map((group) => [group, GROUPS[group]]);

export const FIELDS: ReadonlyMap<string, Field> = new Map(
  Object.values(GROUPS).flatMap((fields) => fields.map((field) => [field.name, field])),
);

/** Options of a job that its settings in the registry do not have: they belong to the code of each process. */
export const OPTIONS_OF_CODE = [
  'overwrite',
  'cronDialect',
  'className',
  'isolation',
  'workerModule',
  'workerExport',
  'executor',
  'appName',
  'resources',
  'task',
] as const;

function flag(name: string, usual: boolean): Field {
  return { name, kind: 'flag', usual };
}

function word(name: string, words: readonly string[]): Field {
  return { name, kind: 'word', words, usual: words[0]! };
}

function whole(name: string, usual: number | undefined, { from, to = GREATEST_INT }: { from: number; to?: number }) {
  return { name, kind: 'number', from, to, isWhole: true, ...(usual !== undefined && { usual }) } as const;
}
