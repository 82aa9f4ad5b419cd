/** Definition of a metric. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** `job`: a job's name, or `other` for those beyond `maxJobs`. */
  readonly labels: readonly string[];
  readonly help: string;
  /** Upper bounds of a histogram, in seconds. */
  readonly buckets?: readonly number[];
}

const JOB = ['job'] as const;
const counter = <const Labels extends readonly string[], const Help extends string>(labels: Labels, help: Help) =>
  ({ type: 'counter', labels, help }) as const;
const gauge = <const Labels extends readonly string[], const Help extends string>(labels: Labels, help: Help) =>
  ({ type: 'gauge', labels, help }) as const;

/**
 * A trigger in good order is begun within two round trips to the registry: the first bounds tell a near ensemble (10
 * ms) from a distant one (100 ms). From 1 s on something delays triggers: a blocked event loop, a leader that reshards.
 * The last bounds show fire times that were caught up on after an outage.
 */
const LATENESS_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300] as const;

/**
 * Jobs take from milliseconds to hours: two or three bounds for each power of ten, at the usual minutes and hours of
 * timeouts.
 */
const DURATION_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 10_800] as const;

/** A process starts within a second; a pod may wait for its image, or for room, for minutes. */
const TASK_START_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600] as const;

/** Every metric, by its name: events on this instance, and this process's share of the cluster's work. */
export const METRICS = {
  elastic_job_runs_total: counter(
    ['job', 'source'],
    'Runs that this instance has begun, by NORMAL_TRIGGER, MISFIRE or FAILOVER',
  ),
  elastic_job_items_total: counter(
    ['job', 'outcome'],
    'Items whose run has ended here: succeeded, failed, aborted, or fenced by a newer run',
  ),
  elastic_job_lateness_seconds: {
    type: 'histogram',
    labels: ['job', 'source'],
    help: 'From the instant at which a run is due to the first line of its first handler',
    buckets: LATENESS_BUCKETS,
  },
  elastic_job_item_duration_seconds: {
    type: 'histogram',
    labels: JOB,
    help: 'From the begin of a run to the recorded end of each of its items, the wait for a free slot included',
    buckets: DURATION_BUCKETS,
  },
  elastic_job_skipped_total: counter(JOB, 'Triggers that were not run here at all'),
  elastic_job_missed_total: counter(JOB, 'Missed fire times, one for each item, as reported by this instance'),
  elastic_job_misfires_total: counter(JOB, 'Items that still ran when their next trigger came'),
  elastic_job_retries_total: counter(JOB, 'Handlers called again after a failure, under the same lease'),
  elastic_job_failovers_total: counter(JOB, 'Items of other instances that this one has taken over'),
  elastic_job_orphans_total: counter(JOB, 'Items of crashed instances that this one, leading, has queued'),
  elastic_job_failover_overflows_total: counter(
    JOB,
    'Items dropped because the failover queue was full: their runs are not repeated',
  ),
  elastic_job_executor_deaths_total: counter(
    ['job', 'state'],
    'Processes and threads that died while they worked on an item, by state',
  ),
  elastic_job_tasks_launched_total: counter(JOB, 'Tasks that this instance has made'),
  elastic_job_tasks_adopted_total: counter(JOB, 'Tasks of other instances that this one has taken over'),
  elastic_job_tasks_lost_total: counter(JOB, 'Tasks that have died by no fault of their own'),
  elastic_job_task_ends_total: counter(['job', 'state'], 'Tasks that have ended, by their final state'),
  elastic_job_task_start_seconds: {
    type: 'histogram',
    labels: JOB,
    help: 'From the begin of a run to the first RUNNING of its task, the wait for resources included',
    buckets: TASK_START_BUCKETS,
  },
  elastic_job_hung_total: counter(JOB, 'Handlers that did not return in time after their signal had aborted'),
  elastic_job_delayed_settles_total: counter(
    JOB,
    'Items whose run ended here and was not recorded in the registry within 5 s',
  ),
  elastic_job_released_marks_total: counter(
    JOB,
    'Items released because they had marks of this instance, which did not run them',
  ),
  elastic_job_reshardings_total: counter(JOB, 'Assignments that this instance, leading, has made'),
  elastic_job_elections_total: counter(JOB, 'Elections that this instance has won'),
  elastic_job_errors_total: counter(
    JOB,
    "Failures of the scheduler's own work, with what the registry has not answered",
  ),
  elastic_job_session_changes_total: counter(['state'], "Changes of the registry session's state, by the new state"),
  elastic_job_history_dropped_total: counter(
    ['sink'],
    'Rows of a history that were dropped because its store was slow or away, or refused them',
  ),
  elastic_job_error_handler_failures_total: counter(
    ['job', 'type'],
    'Failures that an error handler could not deliver',
  ),
  elastic_job_registry_requests_total: counter(
    ['kind'],
    'Requests to the registry: foreground, which callers wait for, and background, which keep watches and views alive',
  ),
  elastic_job_session_state: gauge(['state'], '1 for the state that the registry session is in, else 0'),
  elastic_job_joined: gauge(JOB, '1 while this instance is registered under the job'),
  elastic_job_disabled: gauge(JOB, '1 while an operator has disabled the server of this instance in the job'),
  elastic_job_leader_known: gauge(JOB, '1 while the job has a leader, as far as this instance can see'),
  elastic_job_parents_away: gauge(
    JOB,
    'Jobs in `after` that do not run, so that nothing starts after them, as the leader has told; 0 on other instances',
  ),
  elastic_job_running_items: gauge(JOB, 'Items that run here'),
  elastic_job_owned_items: gauge(
    JOB,
    'Items that are assigned to this instance, without those that are disabled or taken over elsewhere',
  ),
  elastic_job_disabled_items: gauge(
    JOB,
    'Items of the job that operators have disabled, on whatever instances: take the maximum',
  ),
  elastic_job_failing_seconds: gauge(
    JOB,
    'How long each run of an item that this instance owns has failed here, from its first failure to its last, of ' +
      'several items the longest; 0 in good order',
  ),
  elastic_job_failover_queue_items: gauge(
    JOB,
    'Items that wait for failover, as far as this instance can see. It is one queue for all: take the maximum',
  ),
  elastic_job_hung_items: gauge(JOB, 'Items that were aborted and whose handlers still run here'),
  elastic_job_unrecorded_items: gauge(
    JOB,
    'Items whose run has ended here and has not been recorded for more than 5 s',
  ),
  elastic_job_refused_seconds: gauge(JOB, 'How long the registry has refused requests of the job; 0 in good order'),
  elastic_job_tasks: gauge(
    ['job', 'state'],
    'Tasks that this instance follows, by STAGING, QUEUED, RUNNING or UNREACHABLE',
  ),
  elastic_job_task_backend_up: gauge(['backend'], '1 while the backend of tasks answers, else 0'),
  elastic_job_schedule_lag_seconds: gauge(JOB, 'How long the next fire time is overdue; 0 in good order'),
} as const satisfies Readonly<Record<string, MetricDefinition>>;

/** The name of a metric. */
export type MetricName = keyof typeof METRICS;

/** The names of the metrics of one type. */
export type MetricNameOf<Type extends MetricDefinition['type']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never;
}[MetricName];

/** The labels of a metric. */
export type LabelOf<Name extends MetricName> = (typeof METRICS)[Name]['labels'][number];
