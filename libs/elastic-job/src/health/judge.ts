import type { JobName } from '../domain/index.js';
import type { JobStatus, RuntimePhase, RuntimeStatus } from '../runtime/index.js';

/** `degraded`: works, or will again by itself; needs no restart and may still get traffic. */
export type HealthVerdict = 'up' | 'degraded' | 'down';

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
}

interface Finding {
  readonly status: HealthVerdict;
  readonly reason: string;
}

/**
 * Would a restart help? `down` only if a fire time has been overdue for longer than the limit. A registry that does not
 * answer is no reason to restart: it is `degraded`, as every other process is at that time.
 *
 * @param now milliseconds since the epoch
 */
export function judgeLiveness(status: RuntimeStatus, now: number, { lagMs = 120_000 }: HealthLimits = {}): Health {
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
export function judgeReadiness(status: RuntimeStatus, { lostMs = 30_000 }: HealthLimits = {}): Health {
  if (status.phase !== 'running') return verdict(status, [down(`the process is ${status.phase}`)]);
  const jobs = status.processing ? status.jobs.flatMap(judgeJob) : [];
  return verdict(status, [...judgeSession(status, lostMs), ...jobs]);
}

function judgeSession({ session, sessionForMs, phase }: RuntimeStatus, lostMs: number): Finding[] {
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
  const worst = (['down', 'degraded'] as const).find((status) => findings.some((finding) => finding.status === status));
  return {
    status: worst ?? 'up',
    details: {
      reasons: findings.map(({ reason }) => reason),
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

function down(reason: string): Finding {
  return { status: 'down', reason };
}

function degraded(reason: string): Finding {
  return { status: 'degraded', reason };
}
