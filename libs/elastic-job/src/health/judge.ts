import type { StandingRefusal } from '../coordination/index.js';
import {
  describeAwayParents,
  instant,
  type JobName,
  messageOf,
  number,
  type OptionRow,
  OptionTable,
  type TaskBackendStatus,
} from '../domain/index.js';
import type { JobStatus, RuntimePhase, RuntimeStatus } from '../runtime/index.js';

interface Health {
  readonly status: HealthVerdict;
  readonly details: HealthDetails;
}

interface HealthDetails {
  /** Reasons why the status is not `up`: one text per finding. */
  readonly reasons: readonly string[];
  readonly phase: RuntimePhase;
  /** `CONNECTED`, `SUSPENDED`, `RECONNECTED`, `LOST`, or `none`. */
  readonly session: string;
  readonly jobs: Readonly<Record<JobName, JobHealth>>;
}

interface JobHealth {
  /** Instance id of the leader. */
  readonly leader?: string;
  /** In ISO 8601. */
  readonly nextFireTime?: string;
  readonly runningItems: number;
  /** Differences of the registry's configuration, which wins, from this process's. */
  readonly differences?: readonly string[];
  /** Missed fire times, one for each item, that this process has reported since it started. */
  readonly missedRuns?: number;
}

/** Limits beyond which liveness and readiness are `degraded` or `down`. */
export interface HealthLimits {
  /**
   * How long a lost session, or backend of tasks, is `degraded` before it is `down`, in milliseconds. @default 30_000
   */
  readonly lostMs?: number;
  /** Delay of a fire time that means that this process is stuck, in milliseconds. @default 120_000 */
  readonly lagMs?: number;
  /** Delay of a fire time that is reported, in milliseconds. @default 5_000 */
  readonly degradedLagMs?: number;
}

/** @see HealthLimits */
const DEFAULT_LIMITS: Required<HealthLimits> = { lostMs: 30_000, lagMs: 120_000, degradedLagMs: 5_000 };

const limit = number(0);
const LIMITS = new OptionTable(
  {
    lostMs: { rule: limit },
    lagMs: { rule: limit },
    degradedLagMs: { rule: limit },
  } satisfies Readonly<Record<keyof HealthLimits, OptionRow>>,
  'a health indicator',
);

/** The limits with their defaults. @throws {ConfigurationError} for wrong and unknown ones */
export function limitsOf(given: HealthLimits): Required<HealthLimits> {
  const { lostMs, lagMs, degradedLagMs } = LIMITS.checked('limits of a health indicator', given);
  return {
    lostMs: lostMs ?? DEFAULT_LIMITS.lostMs,
    lagMs: lagMs ?? DEFAULT_LIMITS.lagMs,
    degradedLagMs: degradedLagMs ?? DEFAULT_LIMITS.degradedLagMs,
  };
}

/**
 * Judges if a restart would help. `down` only if a fire time has been overdue for longer than the limit. A registry
 * that does not answer is `degraded`: every other process has the same trouble, and a restart would not help.
 *
 * @param now milliseconds since the epoch
 */
export function judgeLiveness(status: RuntimeStatus, now: number, limits: HealthLimits = {}): Health {
  const { lagMs } = limitsOf(limits);
  // Held-back fire times are due by the registry's clock.
  const due = now - (status.heldBackMs ?? 0);
  const lags = status.jobs
    .filter(({ nextFireTime = due }) => due - nextFireTime > lagMs)
    .map(({ jobName, nextFireTime }) =>
      down(`job "${jobName}" should have fired at ${instant(nextFireTime!)} and has not`),
    );
  return verdict(status, [...lags, ...judgeSession(status, Number.POSITIVE_INFINITY)]);
}

/**
 * Judges if this process does its share.
 *
 * `down`
 * - while it starts or drains;
 * - when its session has been lost for longer than the limit;
 * - when a job cannot run here, such as one that is shared with an instance that this version cannot work beside.
 *
 * `degraded` while
 * - the connection is suspended, or the registry refuses a job's request;
 * - this host's clock is ahead of the registry's or behind it;
 * - a job that is not disabled here has no leader;
 * - the failover queue of a job is full, or, on its leader, jobs after which it starts do not run;
 * - an aborted handler does not return, or ends of runs wait to be recorded;
 * - work for a job fails each time it is tried, such as the plan of a user's sharding strategy, or joining the job
 *   because a guarded store is ahead of the registry;
 * - jobs that were created from a template rest, because they are beyond its limits or their settings cannot be used,
 *   or cannot be joined;
 * - a job uses its last valid configuration because that of the registry cannot be used;
 * - the backend of tasks does not answer, or a followed task cannot be reached.
 */
export function judgeReadiness(status: RuntimeStatus, limits: HealthLimits = {}, backend?: TaskBackendStatus): Health {
  const { lostMs } = limitsOf(limits);
  if (status.phase !== 'running') return verdict(status, [down(`the process is ${status.phase}`)]);
  const jobs = status.processing ? status.jobs.flatMap(judgeJob) : [];
  const resting = (status.resting ?? []).map(({ reason }) => degraded(reason));
  // Never down: other schedulers have the same backend, and jobs without tasks go on.
  const tasks = status.processing ? judgeBackend(backend, 0, Number.POSITIVE_INFINITY) : [];
  return verdict(status, [...judgeSession(status, lostMs), ...judgeClock(status), ...jobs, ...resting, ...tasks]);
}

/**
 * Judges the session of a process that needs one.
 * @param lostMs how long a lost session is `degraded`, in milliseconds
 */
export function judgeSession({ session, sessionForMs, phase }: RuntimeStatus, lostMs: number): Finding[] {
  if (phase !== 'running' || session.state === 'CONNECTED' || session.state === 'RECONNECTED') return [];
  const state = `the registry session has been ${session.state ?? 'closed'} for ${Math.round(sessionForMs / 1000)} s`;
  const reason = session.problem === undefined ? state : `${state}: ${session.problem}`;
  return [session.state !== 'SUSPENDED' && sessionForMs > lostMs ? down(reason) : degraded(reason)];
}

function judgeClock({ behindMs, heldBackMs }: RuntimeStatus): Finding[] {
  if (behindMs !== undefined) {
    const late = Math.round(behindMs / 1_000);
    return [degraded(`this host's clock is ${late} s behind the registry's, so fire times come late; let NTP set it`)];
  }
  if (heldBackMs === undefined) return [];
  const seconds = Math.round(heldBackMs / 1_000);
  return [
    degraded(
      `this host's clock is ${seconds} s ahead of the registry's, so fire times follow the registry's; let NTP set it`,
    ),
  ];
}

function judgeJob(job: JobStatus): Finding[] {
  const { jobName, problem, configurationFault, isJoined, isLeaving, isResting, isFailoverQueueFull } = job;
  const { awayParents } = job;
  // Writers of the registry create such a job, and must not take the process out of service by it.
  if (isResting && !isLeaving) return [degraded(`job "${jobName}" rests: ${problem}`)];
  if (problem !== undefined && !isLeaving) return [down(`job "${jobName}": ${problem}`)];
  const stuck = judgeDelays(job);
  if (isLeaving) return stuck;
  if (configurationFault !== undefined) {
    stuck.push(degraded(`job "${jobName}": its last usable configuration stays in force: ${configurationFault}`));
  }
  if (!isJoined) return [...stuck, degraded(`job "${jobName}" is not registered in this session`)];
  return [
    ...stuck,
    ...(isLeaderless(job) ? [degraded(`job "${jobName}" has no leader`)] : []),
    ...(isFailoverQueueFull ? [degraded(`job "${jobName}": its failover queue is full`)] : []),
    ...(awayParents
      ? [degraded(`job "${jobName}" waits for jobs that do not run: ${describeAwayParents(awayParents)}`)]
      : []),
  ];
}

/** True if a job has no leader and should have one: nobody leads a job whose servers an operator has disabled. */
export function isLeaderless({ isDisabled, leader }: Pick<JobStatus, 'isDisabled' | 'leader'>): boolean {
  return leader === undefined && !isDisabled;
}

function judgeDelays({ jobName, hung, delayedSettles, failing, refused }: JobStatus): Finding[] {
  const stuck = hung.flatMap(({ item, listener, since }) => {
    const items = hung.flatMap((other) => (other.listener === listener ? other.item : []));
    if (listener !== undefined && item !== items[0]) return []; // Reported with the first of its items.
    const what = listener === undefined ? `item ${item}` : `${listener} of items ${items.join(',')}`;
    return degraded(`job "${jobName}": ${what} still runs, although aborted at ${instant(since)}`);
  });
  const unrecorded =
    delayedSettles && `the ends of items ${delayedSettles.items.join(',')} could not be recorded since`;
  return [
    ...stuck,
    ...(delayedSettles ? [degraded(describeRefusal(jobName, unrecorded!, delayedSettles))] : []),
    ...(refused ? [degraded(describeRefusal(jobName, 'the registry has refused requests since', refused))] : []),
    ...(failing ? [degraded(describeRefusal(jobName, `${failing.work} has failed since`, failing))] : []),
  ];
}

function describeRefusal(jobName: JobName, what: string, { since, error }: StandingRefusal): string {
  return `job "${jobName}": ${what} ${instant(since)}: ${messageOf(error)}`;
}

function verdict({ phase, session, jobs }: RuntimeStatus, findings: readonly Finding[]): Health {
  return {
    status: worstOf(findings),
    details: {
      reasons: reasonsOf(findings),
      phase,
      session: session.state ?? 'none',
      jobs: Object.fromEntries(jobs.map((job) => [job.jobName, describe(job)])),
    },
  };
}

function describe({ leader, nextFireTime, runningItems, differences, missedRuns }: JobStatus): JobHealth {
  return {
    runningItems,
    ...(leader !== undefined && { leader }),
    ...(nextFireTime !== undefined && { nextFireTime: instant(nextFireTime) }),
    ...(differences.length > 0 && { differences }),
    ...(missedRuns > 0 && { missedRuns }),
  };
}

/** `degraded`: works, or will recover by itself; needs no restart and may still get traffic. */
export type HealthVerdict = 'up' | 'degraded' | 'down';

/** A reason why something is not `up`, in words for an operator. */
export interface Finding {
  readonly status: HealthVerdict;
  readonly reason: string;
}

export function down(reason: string): Finding {
  return { status: 'down', reason };
}

export function degraded(reason: string): Finding {
  return { status: 'degraded', reason };
}

/** The worst of the findings. */
export function worstOf(findings: readonly Finding[]): HealthVerdict {
  const worst = (['down', 'degraded'] as const).find((status) => findings.some((finding) => finding.status === status));
  return worst ?? 'up';
}

export function reasonsOf(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ reason }) => reason);
}

/**
 * Judges a backend of tasks, and reports the tasks that it cannot reach.
 * @param now milliseconds since the epoch
 * @param lostMs how long a backend that does not answer is `degraded` before it is `down`, in milliseconds
 */
export function judgeBackend(backend: TaskBackendStatus | undefined, now: number, lostMs: number): Finding[] {
  if (backend === undefined) return [];
  const { error, failingSince, name, tasks } = backend;
  const unreachable = tasks.filter(({ state }) => state === 'UNREACHABLE');
  const held = unreachable.map(({ item, jobName, since }) =>
    degraded(
      `job "${jobName}": the task of item ${item} is UNREACHABLE since ${instant(since)}, and the item stays busy; ` +
        'FailoverService.confirmLost frees it if the task is gone',
    ),
  );
  if (failingSince === undefined) return held;
  const reason = `the task backend ${name} has not answered since ${instant(failingSince)}: ${messageOf(error)}`;
  return [now - failingSince > lostMs ? down(reason) : degraded(reason), ...held];
}
