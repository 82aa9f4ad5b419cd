import {
  ConsoleProblem,
  formatCursor,
  type JobRow,
  JOB_SORTS,
  type JobsQuery,
  type JobSort,
  type PageQuery,
  parseCursor,
} from '../contract/index.js';
import { hasReason } from './attention.js';
import { type IndexedJob, jobRow } from './indexed-job.js';

const USUAL_PAGE = 50;
export const LARGEST_PAGE = 200;
/** The last instant of a date, in milliseconds since the epoch: jobs that never fire come last. */
const NEVER = 8_640_000_000_000_000;

type Key = string | number;

/** The key of an order; jobs of one key come by their names. */
type KeyOf = (job: IndexedJob, now: number, isDescending: boolean) => Key;

const KEYS: { readonly [Sort in JobSort]: KeyOf } = {
  job: ({ job }) => job,
  status: ({ status }) => status,
  attention: ({ attention }) => attention,
  nextFireTime: ({ timetable }, now, isDescending) => timetable?.next(now) ?? (isDescending ? -1 : NEVER),
  running: ({ running }) => running,
  items: ({ items }) => items,
  instances: ({ instances }) => instances.length,
};

export interface JobPage {
  readonly items: readonly JobRow[];
  readonly cursor: string | null;
  readonly matching: number;
}

/**
 * A page of jobs.
 * @param jobs in the order of their names
 * @param now milliseconds since the epoch
 * @throws {ConsoleProblem} 400 for a cursor of another query
 */
export function listJobs(jobs: readonly IndexedJob[], query: JobsQuery, now: number): JobPage {
  const { isDescending, sort } = sortOf(query);
  const keyOf = KEYS[sort];
  const found = jobs.filter(matcherOf(query));
  const keyed = found.map((job) => ({ job, key: keyOf(job, now, isDescending) }));
  const { cursor, page } = pageOf(keyed, query, {
    list: 'jobs',
    place: ({ job, key }) => [key, job.job],
    compare: ([a, nameA], [b, nameB]) => (isDescending ? -1 : 1) * compared(a!, b!) || compared(nameA!, nameB!),
  });
  return { items: page.map(({ job }) => jobRow(job, now)), cursor, matching: found.length };
}

type Place = readonly Key[];

/** How a list is ordered. */
interface Order<T> {
  /** The list: `jobs`. Its cursors are of no other one. */
  readonly list: string;
  /** The place of a member in the order; no two members have the same. */
  readonly place: (member: T) => Place;
  readonly compare: (a: Place, b: Place) => number;
}

/**
 * The members that come after the cursor, as many as a page holds.
 * @throws {ConsoleProblem} 400 for a cursor of another query
 */
export function pageOf<T>(members: readonly T[], query: PageQuery, { compare, list, place }: Order<T>) {
  const { cursor, limit = USUAL_PAGE } = query;
  const size = Math.min(Math.max(1, limit), LARGEST_PAGE);
  const placed = members.map((member) => ({ member, at: place(member) }));
  const after = cursor === undefined ? undefined : parseCursor(list, query, cursor);
  const left = after === undefined ? placed : placed.filter(({ at }) => compare(at, after) > 0);
  const page = left.toSorted((a, b) => compare(a.at, b.at)).slice(0, size);
  const last = left.length > page.length ? page.at(-1) : undefined;
  return {
    page: page.map(({ member }) => member),
    cursor: last === undefined ? null : formatCursor(list, query, last.at),
  };
}

/** As JavaScript compares: texts by their code units. */
export function compared(a: Key, b: Key): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function sortOf({ sort = 'job' }: JobsQuery): { readonly sort: JobSort; readonly isDescending: boolean } {
  const isDescending = sort.startsWith('-');
  const name = JOB_SORTS.find((one) => one === (isDescending ? sort.slice(1) : sort));
  if (name !== undefined) return { sort: name, isDescending };
  throw new ConsoleProblem(400, 'INVALID_ARGUMENT', 'The jobs cannot be sorted so.', {
    fields: [{ field: 'sort', problem: `must be one of ${JOB_SORTS.join(', ')}, or one of them after "-"` }],
  });
}

function matcherOf({ attention, label, q, server, status, template }: JobsQuery): (job: IndexedJob) => boolean {
  const part = q?.toLowerCase() ?? '';
  return (job) => {
    const { settings } = job;
    if (status !== undefined && job.status !== status) return false;
    if (attention === 'any' && job.attention === 0) return false;
    if (attention !== undefined && attention !== 'any' && !hasReason(job.attention, attention)) return false;
    if (label !== undefined && settings.label !== label) return false;
    if (template !== undefined && job.template !== template) return false;
    if (server !== undefined && !job.servers.some(({ serverIp }) => serverIp === server)) return false;
    return part === '' || [job.job, settings.description, settings.cron ?? ''].some((text) => isPartOf(part, text));
  };
}

function isPartOf(part: string, text: string): boolean {
  return text.toLowerCase().includes(part);
}
