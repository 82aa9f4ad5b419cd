/** Samples of some series, one for each minute, in the notation of promtool. */
type Series = Readonly<Record<string, string>>;

/** Something that Prometheus has seen, and whether an alert fires at a minute after its begin. */
interface AlertCase {
  readonly alert: string;
  /** Completes "fires" or "is silent". */
  readonly because: string;
  readonly series: Series;
  /** If it fires and has a `for`, the first minute at which it does: it must be silent in the minute before. */
  readonly minute: number;
  /** Labels and summary of the alert. Undefined if it is silent. */
  readonly fires?: { readonly labels: Readonly<Record<string, string>>; readonly summary: string };
}

const OF_JOB = { namespace: 'shop', job: 'orders', exported_job: 'settle' };
const ON_A = { ...OF_JOB, instance: 'a:3000' };
const ON_B = { ...OF_JOB, instance: 'b:3000' };
const PROCESS_A = { namespace: 'shop', job: 'orders', instance: 'a:3000' };
const PROCESS_B = { namespace: 'shop', job: 'orders', instance: 'b:3000' };

function at(name: string, labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return `${name}{${pairs.join(',')}}`;
}

const missed = at('elastic_job_missed_total', ON_A);
const lag = at('elastic_job_schedule_lag_seconds', ON_A);
const failed = at('elastic_job_items_total', { ...ON_A, outcome: 'failed' });
const succeeded = at('elastic_job_items_total', { ...ON_B, outcome: 'succeeded' });
const failing = at('elastic_job_failing_seconds', ON_A);
const misfires = at('elastic_job_misfires_total', ON_A);
const hung = at('elastic_job_hung_items', ON_A);
const connected = at('elastic_job_session_state', { ...PROCESS_A, state: 'CONNECTED' });
const connectedB = at('elastic_job_session_state', { ...PROCESS_B, state: 'CONNECTED' });
const reconnected = at('elastic_job_session_state', { ...PROCESS_A, state: 'RECONNECTED' });
const [joined, joinedB] = [at('elastic_job_joined', ON_A), at('elastic_job_joined', ON_B)];
const [leader, leaderB] = [at('elastic_job_leader_known', ON_A), at('elastic_job_leader_known', ON_B)];
const disabled = at('elastic_job_disabled', ON_A);
const disabledB = at('elastic_job_disabled', ON_B);
const [owned, ownedB] = [at('elastic_job_owned_items', ON_A), at('elastic_job_owned_items', ON_B)];
const parentsAway = at('elastic_job_parents_away', ON_A);
const up = at('up', PROCESS_A);
const orphans = at('elastic_job_orphans_total', ON_A);
const queue = at('elastic_job_failover_queue_items', ON_A);
const overflows = at('elastic_job_failover_overflows_total', ON_A);
const lost = at('elastic_job_session_changes_total', { ...PROCESS_A, state: 'LOST' });
const refused = at('elastic_job_refused_seconds', ON_A);
const unrecorded = at('elastic_job_unrecorded_items', ON_A);
const dropped = at('elastic_job_history_dropped_total', { ...PROCESS_A, sink: 'sql' });
const backend = at('elastic_job_task_backend_up', { ...PROCESS_A, backend: 'kubernetes' });
const lateness = (le: string, source = 'NORMAL_TRIGGER') =>
  at('elastic_job_lateness_seconds_bucket', { ...ON_A, source, le });
/** Two instances without a leader and items, of which a number is disabled. */
const leaderless = (disabledServers: number) => ({
  [joined]: '1x20',
  [joinedB]: '1x20',
  [leader]: '0x20',
  [leaderB]: '0x20',
  [owned]: '0x20',
  [ownedB]: '0x20',
  [disabled]: `${disabledServers > 0 ? 1 : 0}x20`,
  [disabledB]: `${disabledServers > 1 ? 1 : 0}x20`,
});

const firesOf = (labels: Readonly<Record<string, string>>, summary: string) => ({ fires: { labels, summary } });

/** A counter that alerts as soon as it rises. */
function risen(
  alert: string,
  { series, labels, summary }: { series: string; labels: Readonly<Record<string, string>>; summary: string },
): readonly AlertCase[] {
  const because = 'the counter rises';
  return [
    { alert, because, series: { [series]: '7x30 9x10' }, minute: 35, ...firesOf(labels, summary) },
    { alert, because: 'it has risen long ago', series: { [series]: '7x30 9x120' }, minute: 60 },
  ];
}

/** A counter that may begin with its first event. */
function born(
  alert: string,
  given: { series: string; labels: Readonly<Record<string, string>>; summary: string },
): readonly AlertCase[] {
  const { series, labels, summary } = given;
  return [
    ...risen(alert, given),
    {
      alert,
      because: 'the first sample of a new process has a count',
      series: { [series]: '_x70 2x10' },
      minute: 73,
      ...firesOf(labels, summary),
    },
    {
      alert,
      because: 'Prometheus has seen nothing for half an hour, and sees the old count again',
      series: { [series]: '7x30 _x30 7x10' },
      minute: 63,
    },
  ];
}

/** A gauge that alerts while it is above 0 for some minutes. */
function standing(
  alert: string,
  given: { series: string; minutes: number; labels: Readonly<Record<string, string>>; summary: string },
): readonly AlertCase[] {
  const { series, minutes, labels, summary } = given;
  const since = { [series]: '0x10 4x30' };
  return [
    { alert, because: 'it stands for long', series: since, minute: 11 + minutes, ...firesOf(labels, summary) },
    { alert, because: 'nothing is there', series: { [series]: '0x40' }, minute: 30 },
  ];
}

export const ALERT_CASES: readonly AlertCase[] = [
  ...born('ElasticJobMissed', { series: missed, labels: OF_JOB, summary: '2 runs of settle were missed' }),
  {
    alert: 'ElasticJobOverdue',
    because: 'a fire time is overdue for a minute',
    series: { [lag]: '0x10 20+60x10' },
    minute: 12,
    ...firesOf(ON_A, 'settle is overdue by 80 s in a:3000'),
  },
  { alert: 'ElasticJobOverdue', because: 'a run begins 3 s late', series: { [lag]: '0x10 3x10' }, minute: 15 },
  {
    alert: 'ElasticJobLate',
    because: 'all runs begin between 5 and 10 s late',
    series: { [lateness('5')]: '0x40', [lateness('10')]: '0+60x40', [lateness('+Inf')]: '0+60x40' },
    minute: 11,
    ...firesOf(OF_JOB, 'settle begins 10 s late'),
  },
  {
    alert: 'ElasticJobLate',
    because: 'only runs that catch up are late',
    series: {
      [lateness('5', 'MISFIRE')]: '0x40',
      [lateness('+Inf', 'MISFIRE')]: '0+60x40',
      [lateness('5')]: '0+60x40',
      [lateness('+Inf')]: '0+60x40',
    },
    minute: 25,
  },
  ...born('ElasticJobFailed', { series: failed, labels: OF_JOB, summary: 'settle has failed: 2 items in 15 minutes' }),
  { alert: 'ElasticJobFailed', because: 'items succeed', series: { [succeeded]: '0+4x60' }, minute: 50 },
  {
    alert: 'ElasticJobOnlyFails',
    because: 'items fail, and none has succeeded for an hour',
    series: { [failed]: '0+2x90', [succeeded]: '0+4x20 80x90' },
    minute: 85,
    ...firesOf(OF_JOB, 'settle only fails: 120 items in an hour, and none succeeded'),
  },
  {
    alert: 'ElasticJobOnlyFails',
    because: 'items succeed on another instance',
    series: { [failed]: '0+2x90', [succeeded]: '0+1x90' },
    minute: 90,
  },
  {
    alert: 'ElasticJobItemFails',
    because: 'an item has failed for an hour in each of its runs, though others succeed',
    series: { [failing]: '0x9 60+60x80', [failed]: '0+1x90', [succeeded]: '0+4x90' },
    minute: 69,
    ...firesOf(OF_JOB, 'An item of settle has failed in each of its runs for 1h 0m 0s'),
  },
  {
    alert: 'ElasticJobItemFails',
    because: 'other items fail each minute, and none of them twice in a row',
    series: { [failing]: '0x120', [failed]: '0+1x120' },
    minute: 110,
  },
  {
    alert: 'ElasticJobItemFails',
    because: 'it has succeeded since',
    series: { [failing]: '0+60x70 0x30' },
    minute: 71,
  },
  {
    alert: 'ElasticJobOverrun',
    because: 'items still run at their next fire time, for 15 minutes',
    series: { [misfires]: '0x10 0+1x30' },
    minute: 27,
    ...firesOf(OF_JOB, 'settle takes longer than its interval'),
  },
  { alert: 'ElasticJobOverrun', because: 'it was once', series: { [misfires]: '0x10 1x60' }, minute: 40 },
  ...standing('ElasticJobHung', {
    series: hung,
    minutes: 1,
    labels: ON_A,
    summary: 'settle hangs in a:3000: 4 items',
  }),
  {
    alert: 'ElasticJobNoProcess',
    because: 'the last two processes have gone',
    series: { [connected]: '1x20 stale', [connectedB]: '1x10 stale' },
    minute: 23,
    ...firesOf({ namespace: 'shop', job: 'orders' }, 'No process of orders answers: there were 2 within the last hour'),
  },
  {
    alert: 'ElasticJobNoProcess',
    because: 'one process is left, though without a connection',
    series: { [connected]: '1x20 stale', [connectedB]: '1x20 0x20' },
    minute: 24,
  },
  {
    alert: 'ElasticJobNoProcess',
    because: 'the last one went more than an hour ago',
    series: { [connected]: '1x20 stale' },
    minute: 90,
  },
  {
    alert: 'ElasticJobNoInstance',
    because: 'no process is registered in the job',
    series: { [joined]: '1x10 0x10', [joinedB]: '0x20' },
    minute: 13,
    ...firesOf(OF_JOB, 'No instance takes part in settle'),
  },
  {
    alert: 'ElasticJobNoInstance',
    because: 'one is left',
    series: { [joined]: '1x10 0x10', [joinedB]: '1x20' },
    minute: 13,
  },
  {
    alert: 'ElasticJobNoInstance',
    because: 'the job was removed everywhere',
    series: { [joined]: '1x10 0x0 stale' },
    minute: 14,
  },
  {
    alert: 'ElasticJobNoLeader',
    because: 'no instance knows a leader',
    series: leaderless(1),
    minute: 1,
    ...firesOf(OF_JOB, 'settle has no leader'),
  },
  {
    alert: 'ElasticJobNoLeader',
    because: 'an operator has disabled all servers',
    series: leaderless(2),
    minute: 10,
  },
  {
    alert: 'ElasticJobNoLeader',
    because: 'one instance knows the leader',
    series: { ...leaderless(0), [leader]: '1x20' },
    minute: 10,
  },
  {
    alert: 'ElasticJobNoOwner',
    because: 'instances take part, and own nothing',
    series: leaderless(1),
    minute: 5,
    ...firesOf(OF_JOB, 'Nobody owns an item of settle'),
  },
  { alert: 'ElasticJobNoOwner', because: 'an operator has disabled all servers', series: leaderless(2), minute: 10 },
  {
    alert: 'ElasticJobNoOwner',
    because: 'one instance owns the only item',
    series: { ...leaderless(0), [owned]: '1x20' },
    minute: 10,
  },
  ...standing('ElasticJobParentsAway', {
    series: parentsAway,
    minutes: 1,
    labels: OF_JOB,
    summary: 'settle waits for jobs that do not run: 4',
  }),
  {
    alert: 'ElasticJobProcessDown',
    because: 'a process with jobs does not answer',
    series: { [up]: '1x10 0x20', [connected]: '1x10 stale' },
    minute: 13,
    ...firesOf(PROCESS_A, 'a:3000 of orders does not answer'),
  },
  {
    alert: 'ElasticJobProcessDown',
    because: 'a target that has no jobs does not answer',
    series: { [up]: '1x10 0x20', [connectedB]: '1x30' },
    minute: 14,
  },
  ...risen('ElasticJobInstanceLost', {
    series: orphans,
    labels: OF_JOB,
    summary: 'An instance with settle was lost: 2 items fail over',
  }),
  ...standing('ElasticJobFailoverWaits', {
    series: queue,
    minutes: 5,
    labels: OF_JOB,
    summary: 'The failover queue of settle has 4 items',
  }),
  ...risen('ElasticJobFailoverOverflow', {
    series: overflows,
    labels: OF_JOB,
    summary: 'The failover queue of settle was full: 2 items are dropped',
  }),
  {
    alert: 'ElasticJobRegistryAway',
    because: 'the session is neither CONNECTED nor RECONNECTED',
    series: { [connected]: '1x10 0x20', [reconnected]: '0x30', [connectedB]: '1x30' },
    minute: 12,
    ...firesOf(PROCESS_A, 'a:3000 of orders has no connection to the registry'),
  },
  {
    alert: 'ElasticJobRegistryAway',
    because: 'the process has reconnected',
    series: { [connected]: '1x10 0x20', [reconnected]: '0x10 1x20' },
    minute: 20,
  },
  ...born('ElasticJobSessionLost', {
    series: lost,
    labels: PROCESS_A,
    summary: 'a:3000 of orders has lost its session',
  }),
  ...standing('ElasticJobRefused', {
    series: refused,
    minutes: 2,
    labels: ON_A,
    summary: 'The registry refuses requests of settle from a:3000',
  }),
  ...standing('ElasticJobUnrecorded', {
    series: unrecorded,
    minutes: 2,
    labels: ON_A,
    summary: 'a:3000 cannot record 4 items of settle',
  }),
  ...born('ElasticJobHistoryDropped', {
    series: dropped,
    labels: { namespace: 'shop', job: 'orders', sink: 'sql' },
    summary: 'The history sql of orders has lost 2 rows',
  }),
  {
    alert: 'ElasticJobTaskBackendDown',
    because: 'the backend does not answer',
    series: { [backend]: '1x10 0x20' },
    minute: 13,
    ...firesOf(
      { namespace: 'shop', job: 'orders', backend: 'kubernetes' },
      'The backend kubernetes of orders does not answer',
    ),
  },
  { alert: 'ElasticJobTaskBackendDown', because: 'it answers', series: { [backend]: '1x30' }, minute: 20 },
];
