import { inDescendingOrder } from '../../domain/index.js';
import {
  type Attention,
  ATTENTIONS,
  type OverviewAnswer,
  type PageQuery,
  type ServerAnswer,
  type ServerRow,
} from '../contract/index.js';
import { hasReason } from './attention.js';
import { type IndexedJob, isoOf, jobRow } from './indexed-job.js';
import { compared, pageOf } from './job-list.js';

/** Members of each list of the overview. */
const MOST_NAMED = 10;

type JobsAtAGlance = Pick<
  OverviewAnswer,
  'attention' | 'busiest' | 'instances' | 'needing' | 'next' | 'runningItems' | 'servers' | 'worst'
>;

/** @param jobs in the order of their names @param now milliseconds since the epoch */
export function overviewOf(jobs: readonly IndexedJob[], now: number): JobsAtAGlance {
  const instances = new Set(jobs.flatMap((job) => job.instances.map(({ id }) => id)));
  const counts = ATTENTIONS.map((reason) => [reason, jobs.filter((job) => hasReason(job.attention, reason)).length]);
  const attention: Partial<Record<Attention, number>> = Object.fromEntries(counts.filter(([, count]) => count !== 0));
  const firing = jobs.flatMap((job) => {
    const at = job.timetable?.next(now);
    return at === undefined ? [] : [{ job: job.job, at }];
  });
  return {
    servers: new Set(jobs.flatMap((job) => job.servers.map(({ serverIp }) => serverIp))).size,
    instances: instances.size,
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

type ServerOfJobs = ServerRow & Pick<ServerAnswer, 'disabledJobNames' | 'jobNames'>;

interface Gathered {
  readonly instances: Set<string>;
  readonly jobNames: string[];
  readonly disabledJobNames: string[];
}

/** The servers that the jobs know, by their addresses. */
export function serversOf(jobs: readonly IndexedJob[]): readonly ServerOfJobs[] {
  const found = new Map<string, Gathered>();
  for (const job of jobs) {
    for (const { isDisabled, serverIp } of job.servers) {
      const server = found.get(serverIp) ?? { instances: new Set(), jobNames: [], disabledJobNames: [] };
      found.set(serverIp, server);
      server.jobNames.push(job.job);
      if (isDisabled) server.disabledJobNames.push(job.job);
    }
    for (const { id, serverIp } of job.instances) found.get(serverIp)?.instances.add(id);
  }
  const servers = [...found].map(([ip, { disabledJobNames, instances, jobNames }]) => {
    const counts = { jobs: jobNames.length, disabledJobs: disabledJobNames.length };
    return { ip, instances: inDescendingOrder(instances), ...counts, jobNames, disabledJobNames };
  });
  return servers.toSorted((a, b) => compared(a.ip, b.ip));
}

/** @throws {ConsoleProblem} 400 for a cursor of another query */
export function listServers(servers: readonly ServerOfJobs[], query: PageQuery) {
  const { cursor, page } = pageOf(servers, query, {
    list: 'servers',
    place: ({ ip }) => [ip],
    compare: ([a], [b]) => compared(a!, b!),
  });
  const items = page.map(({ disabledJobs, instances, ip, jobs }): ServerRow => ({ ip, instances, jobs, disabledJobs }));
  return { items, cursor };
}
