import type { JobName } from '../domain/index.js';
import type { JobStatus, RuntimePhase, RuntimeStatus } from '../runtime/index.js';
import { degraded, down, type Finding, type HealthVerdict, reasonsOf, worstOf } from './finding.js';

export interface Health {
  readonly status: HealthVerdict;
  readonly details: HealthDetails;
}

export interface HealthDetails {
  /** Why the status is not `up`: one text per finding. */
  readonly reasons: readonly string[];
  readonly phase: RuntimePhase;
  /** `CONNECTED`, `SUSPENDED`, `RECONNECTED`, `LOST`, or `none`. */
  readonly session: string;
  readonly jobs: Readonly<Record<JobName, JobHealth>>;
}

export interface JobHealth {
  /** The instance id of the leader. */
  readonly leader?: string;
  /** In ISO 8601. */
  readonly nextFireTime?: string;
  readonly runningItems: number;
  /** Where the registry's configuration differs from this process's, and wins. */
  readonly differences?: readonly string[];
  /** Fire times, times items, that nobody ran, as far as this process has told it since it started. */
  readonly missedRuns?: number;
}

export interface HealthLimits {
  /** A lost session is `degraded` for so long, and then `down`, in milliseconds. @default 30_000 */
  readonly lostMs?: number;
  /** A fire time that is overdue for longer means that this process is stuck, in milliseconds. @default 120_000 */
  readonly lagMs?: number;
  /** A fire time that is overdue for longer is told, in milliseconds. @default 5_000 */
  readonly degradedLagMs?: number;
}

/** @see HealthLimits */
export const DEFAULT_LIMITS: Required<HealthLimits> = { lostMs: 30_000, lagMs: 120_000, degradedLagMs: 5_000 };

/**
 * Would a restart help? `down` only if a fire time has been overdue for longer than the limit. A registry that does not
 * answer is no reason to restart: it is `degraded`, as every other process is at that time.
 *
 * @param now milliseconds since the epoch
 */
export function judgeLiveness(status: RuntimeStatus, now: number, limits: HealthLimits = {}): Health {
  const { lagMs = DEFAULT_LIMITS.lagMs } = limits;
  const lags = status.jobs
    .filter(({ nextFireTime = now }) => now - nextFireTime > lagMs)
    .map(({ jobName, nextFireTime }) =>
      down(`job "${jobName}" should have fired at ${new Date(nextFireTime!).toISOString()} and has not`),
    );
  return verdict(status, [...lags, ...judgeSession(status, Number.POSITIVE_INFINITY)]);
}

/**
 * Does this process do its share? `down` while it starts or drains, when its session has been lost for longer than the
 * limit, and when a job cannot run here, such as one that is shared with an instance that this version cannot work
 * beside. `degraded` while the connection is suspended, while a job has no leader or no place left in its failover queue,
 * or while a handler that was aborted does not return.
 */
export function judgeReadiness(status: RuntimeStatus, limits: HealthLimits = {}): Health {
  const { lostMs = DEFAULT_LIMITS.lostMs } = limits;
  if (status.phase !== 'running') return verdict(status, [down(`the process is ${status.phase}`)]);
  const jobs = status.processing ? status.jobs.flatMap(judgeJob) : [];
  return verdict(status, [...judgeSession(status, lostMs), ...jobs]);
}

/** How the session fares in a process that needs one. @param lostMs a session that is lost is `degraded` for so long, in milliseconds */
export function judgeSession({ session, sessionForMs, phase }: RuntimeStatus, lostMs: number): Finding[] {
  if (phase !== 'running' || session.state === 'CONNECTED' || session.state === 'RECONNECTED') return [];
  const reason = `the registry session has been ${session.state ?? 'closed'} for ${Math.round(sessionForMs / 1000)} s`;
  return [session.state !== 'SUSPENDED' && sessionForMs > lostMs ? down(reason) : degraded(reason)];
}

function judgeJob({ jobName, problem, isJoined, leader, hung, isFailoverQueueFull }: JobStatus): Finding[] {
  if (problem !== undefined) return [down(`job "${jobName}": ${problem}`)];
  const stuck = hung.map(({ item, since }) =>
    degraded(`job "${jobName}": item ${item} still runs, although aborted at ${new Date(since).toISOString()}`),
  );
  if (!isJoined) return [...stuck, degraded(`job "${jobName}" is not registered in this session`)];
  return [
    ...stuck,
    ...(leader === undefined ? [degraded(`job "${jobName}" has no leader`)] : []),
    ...(isFailoverQueueFull ? [degraded(`job "${jobName}": its failover queue is full`)] : []),
  ];
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
    ...(nextFireTime !== undefined && { nextFireTime: new Date(nextFireTime).toISOString() }),
    ...(differences.length > 0 && { differences }),
    ...(missedRuns > 0 && { missedRuns }),
  };
}
