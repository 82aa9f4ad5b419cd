import { inDescendingOrder } from '../../domain/index.js';
import {
  type Attention,
  ATTENTIONS,
  type IndexState,
  isoOf,
  type OverviewAnswer,
  type ServerAnswer,
  type ServersAnswer,
  type ServersQuery,
} from '../contract/index.js';
import { hasReason } from './attention.js';
import { type IndexedInstance, type IndexedJob, jobRow } from './indexed-job.js';
import { deployOf } from './deploy.js';
import { compared, pageOf } from './job-list.js';

/** Members of each list of the overview. */
const MOST_NAMED = 10;

type JobsAtAGlance = Pick<
  OverviewAnswer,
  | 'attention'
  | 'busiest'
  | 'needing'
  | 'next'
  | 'runningItems'
  | 'servers'
  | 'worst'
  | keyof ReturnType<typeof deployOf>
>;

/** @param jobs in the order of their names @param now milliseconds since the epoch */
export function overviewOf(jobs: readonly IndexedJob[], now: number): JobsAtAGlance {
  const counts = ATTENTIONS.map((reason) => [reason, jobs.filter((job) => hasReason(job.attention, reason)).length]);
  const attention: Partial<Record<Attention, number>> = Object.fromEntries(counts.filter(([, count]) => count !== 0));
  const firing = jobs.flatMap((job) => {
    const at = job.timetable?.next(now);
    return at === undefined ? [] : [{ job: job.job, at }];
  });
  return {
    servers: new Set(jobs.flatMap((job) => job.servers.map(({ serverIp }) => serverIp))).size,
    ...deployOf(jobs),
    runningItems: jobs.reduce((sum, { running }) => sum + running, 0),
    needing: jobs.filter((job) => job.attention > 0).length,
    attention,
    worst: most(jobs, (job) => job.attention).map((job) => jobRow(job, now)),
    busiest: most(jobs, ({ running }) => running).map(({ items, job, running }) => ({ job, running, items })),
    next: firing
      .toSorted((a, b) => a.at - b.at)
      .slice(0, MOST_NAMED)
      .map(({ at, job }) => ({ job, fireTime: isoOf(at) })),
  };
}

/** The jobs with the greatest numbers, those with 0 left out. */
function most(jobs: readonly IndexedJob[], numberOf: (job: IndexedJob) => number): readonly IndexedJob[] {
  return jobs
    .filter((job) => numberOf(job) > 0)
    .toSorted((a, b) => numberOf(b) - numberOf(a))
    .slice(0, MOST_NAMED);
}

type ServerOfJobs = Omit<ServerAnswer, keyof IndexState>;

interface Gathered {
  readonly members: Map<string, GatheredInstance>;
  readonly jobNames: string[];
  readonly disabledJobNames: string[];
}

interface GatheredInstance {
  readonly java: boolean;
  readonly version: string | null;
  jobs: number;
  leads: number;
  drainingJobs: number;
  clockOffsetMs: number | null;
  /** When the offset was read, in milliseconds since the epoch. */
  offsetAt: number;
}

/** The servers that the jobs know, by their addresses. */
export function serversOf(jobs: readonly IndexedJob[]): readonly ServerOfJobs[] {
  const found = new Map<string, Gathered>();
  for (const job of jobs) {
    for (const { isDisabled, serverIp } of job.servers) {
      const server: Gathered = found.get(serverIp) ?? { members: new Map(), jobNames: [], disabledJobNames: [] };
      found.set(serverIp, server);
      server.jobNames.push(job.job);
      if (isDisabled) server.disabledJobNames.push(job.job);
    }
    for (const instance of job.instances) gather(found.get(instance.serverIp)?.members, instance, job);
  }
  return [...found].map(serverOf).toSorted((a, b) => compared(a.ip, b.ip));
}

/** An instance tells its offset in each of its jobs; the one that was read last counts. */
function gather(members: Gathered['members'] | undefined, instance: IndexedInstance, { leader, readAt }: IndexedJob) {
  if (members === undefined) return;
  const { clockOffsetMs, drainingSince, id, isJavas: java, version = null } = instance;
  const member = members.get(id) ?? newMember(java, version);
  members.set(id, member);
  member.jobs += 1;
  if (leader === id) member.leads += 1;
  if (drainingSince !== undefined) member.drainingJobs += 1;
  if (clockOffsetMs === undefined || readAt < member.offsetAt) return;
  member.clockOffsetMs = clockOffsetMs;
  member.offsetAt = readAt;
}

function newMember(java: boolean, version: string | null): GatheredInstance {
  return { java, version, jobs: 0, leads: 0, drainingJobs: 0, clockOffsetMs: null, offsetAt: 0 };
}

function serverOf([ip, { disabledJobNames, jobNames, members: gathered }]: readonly [string, Gathered]): ServerOfJobs {
  const instances = inDescendingOrder(gathered.keys());
  const members = instances.map((instance) => {
    const { clockOffsetMs, drainingJobs, java, jobs, leads, version } = gathered.get(instance)!;
    return { instance, java, version, jobs, leads, drainingJobs, clockOffsetMs };
  });
  const offsets = members.flatMap(({ clockOffsetMs }) => clockOffsetMs ?? []);
  return {
    ip,
    instances,
    javaInstances: members.filter(({ java }) => java).length,
    versions: [...new Set(members.flatMap(({ version }) => version ?? []))],
    drainingInstances: members.filter(({ drainingJobs }) => drainingJobs > 0).length,
    clockOffsetMs: offsets.toSorted((a, b) => Math.abs(b) - Math.abs(a))[0] ?? null,
    jobs: jobNames.length,
    disabledJobs: disabledJobNames.length,
    members,
    jobNames,
    disabledJobNames,
  };
}

/** @throws {ConsoleProblem} 400 for a cursor of another query */
export function listServers(
  servers: readonly ServerOfJobs[],
  query: ServersQuery,
): Omit<ServersAnswer, keyof IndexState> {
  const part = query.q?.toLowerCase() ?? '';
  const found = servers.filter(({ ip }) => ip.toLowerCase().includes(part));
  const { cursor, page } = pageOf(found, query, {
    list: 'servers',
    place: ({ ip }) => [ip],
    compare: ([a], [b]) => compared(a!, b!),
  });
  const items = page.map(({ disabledJobNames: _disabled, jobNames: _names, members: _members, ...row }) => row);
  return { items, cursor, matching: found.length, total: servers.length };
}
