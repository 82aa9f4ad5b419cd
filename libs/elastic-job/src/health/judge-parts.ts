import { instant, type TaskBackendStatus } from '../domain/index.js';
import type { RuntimePhase, RuntimeStatus } from '../runtime/index.js';
import type { TracingStore, TracingStoreStatus } from '../tracing/index.js';
import {
  degraded,
  down,
  type Finding,
  type HealthLimits,
  type HealthVerdict,
  isLeaderless,
  judgeBackend,
  judgeSession,
  limitsOf,
  reasonsOf,
  worstOf,
} from './judge.js';

/** Health of one part, with the facts behind it. */
interface PartHealth<Details> {
  readonly status: HealthVerdict;
  readonly details: Details & {
    /** Reasons why the status is not `up`: one text per finding. */
    readonly reasons: readonly string[];
  };
}

/** Facts about the connection to the registry. */
interface RegistryDetails {
  readonly phase: RuntimePhase;
  /** `CONNECTED`, `SUSPENDED`, `RECONNECTED`, `LOST`, or `none`. */
  readonly session: string;
  /** How long the session has been in that state, in milliseconds. */
  readonly sinceMs: number;
}

/**
 * `degraded` while the session is suspended; `down` before it is established, and once it has been lost for longer than
 * the limit.
 */
export function judgeRegistry(status: RuntimeStatus, limits: HealthLimits = {}): PartHealth<RegistryDetails> {
  const { phase, session, sessionForMs } = status;
  const { lostMs } = limitsOf(limits);
  const missing = down('there is no session with the registry');
  return judged(session.state === undefined ? [missing] : judgeSession(status, lostMs), {
    phase,
    session: session.state ?? 'none',
    sinceMs: Math.round(sessionForMs),
  });
}

/** The leaders' instance ids, by job; null if this process knows none. */
interface LeadershipDetails {
  readonly leaders: Readonly<Record<string, string | null>>;
}

/**
 * `degraded` while a joined job has no leader and is not disabled here: it is not resharded, and crashed items are not
 * queued. It goes on running.
 */
export function judgeLeadership({ jobs }: RuntimeStatus): PartHealth<LeadershipDetails> {
  const joined = jobs.filter(({ isJoined }) => isJoined);
  const leaderless = joined.filter(isLeaderless);
  return judged(
    leaderless.map(({ jobName }) => degraded(`job "${jobName}" has no leader`)),
    { leaders: Object.fromEntries(joined.map(({ jobName, leader }) => [jobName, leader ?? null])) },
  );
}

/** Delay of the next fire time of each job, in milliseconds; 0 in good order. */
interface ScheduleLagDetails {
  readonly lagMs: Readonly<Record<string, number>>;
}

/**
 * `degraded` if a fire time is overdue, because something blocks the event loop. `down` beyond the limit of liveness.
 * @param now milliseconds since the epoch
 */
export function judgeScheduleLag(
  { heldBackMs = 0, jobs }: RuntimeStatus,
  now: number,
  limits: HealthLimits = {},
): PartHealth<ScheduleLagDetails> {
  const { lagMs: most, degradedLagMs } = limitsOf(limits);
  const lags = jobs.flatMap(({ jobName, nextFireTime }) =>
    nextFireTime === undefined ? [] : [[jobName, Math.max(0, now - heldBackMs - nextFireTime)] as const],
  );
  const late = lags.filter(([, lagMs]) => lagMs > degradedLagMs);
  const findings = late.map(([jobName, lagMs]) => {
    const reason = `job "${jobName}" is ${Math.round(lagMs / 1000)} s behind its schedule`;
    return lagMs > most ? down(reason) : degraded(reason);
  });
  return judged(findings, { lagMs: Object.fromEntries(lags) });
}

/** The stores, by the names of their sinks. */
interface TracingDetails {
  readonly stores: Readonly<Record<string, TracingStoreStatus>>;
}

/** `degraded` while a history's store accepts nothing. Never `down`, because no job waits for it. */
export function judgeTracing(stores: readonly TracingStore[]): PartHealth<TracingDetails> {
  const statuses = stores.map(({ name, status }) => [name, status] as const);
  const findings = statuses.flatMap(([name, { failingSince, droppedRows }]) =>
    failingSince === undefined
      ? []
      : [degraded(`history "${name}" has kept nothing since ${instant(failingSince)}; ${droppedRows} rows dropped`)],
  );
  return judged(findings, { stores: Object.fromEntries(statuses) });
}

/** The backend of tasks, and the tasks that this process follows. */
interface TasksDetails {
  /** Its name; null if nothing runs as tasks. */
  readonly backend: string | null;
  /** Number of followed tasks, by state. */
  readonly tasks: Readonly<Record<string, number>>;
  /** Most tasks that run for this process at the same time; null if the backend has no limit of its own. */
  readonly mostTasks: number | null;
}

/**
 * `degraded` while the backend of tasks does not answer, `down` beyond the limit; `degraded` while a task cannot be
 * reached. `up` if there is no backend.
 * @param now milliseconds since the epoch
 */
export function judgeTasks(
  backend: TaskBackendStatus | undefined,
  now: number,
  limits: HealthLimits = {},
): PartHealth<TasksDetails> {
  const { lostMs } = limitsOf(limits);
  const tasks: Record<string, number> = {};
  for (const { state } of backend?.tasks ?? []) tasks[state] = (tasks[state] ?? 0) + 1;
  const { mostTasks = null, name = null } = backend ?? {};
  return judged(judgeBackend(backend, now, lostMs), { backend: name, tasks, mostTasks });
}

function judged<Details>(findings: readonly Finding[], details: Details): PartHealth<Details> {
  return { status: worstOf(findings), details: { ...details, reasons: reasonsOf(findings) } };
}
