/** Filters of the list of jobs, as its URL has them: a link to it shows the same. */
import { type Attention, ATTENTIONS, type JobStatus } from '../../../src/console/contract/job-answers.js';
import type { JobsQuery } from '../../../src/console/contract/queries.js';

export const STATUSES = ['OK', 'DISABLED', 'CRASHED', 'SHARDING_FLAG'] as const satisfies readonly JobStatus[];
const SORTS = ['job', 'status', 'attention', 'nextFireTime', 'running', 'items', 'instances'] as const;
const ATTENTION_FILTERS: readonly (Attention | 'any')[] = ['any', ...ATTENTIONS];

export type JobFilters = Omit<JobsQuery, 'cursor' | 'limit'>;
type Sort = NonNullable<JobFilters['sort']>;
const ALL_SORTS: readonly Sort[] = SORTS.flatMap((sort): readonly Sort[] => [sort, `-${sort}`]);

/** Wrong values of a URL that somebody has typed are left out. @param query of a URL */
export function filtersOf(query: Readonly<Record<string, string>>): JobFilters {
  const text = (name: string) => (query[name] === undefined || query[name] === '' ? {} : { [name]: query[name] });
  const one = <Value extends string>(name: string, values: readonly Value[]) => {
    const value = values.find((each) => each === query[name]);
    return value === undefined ? {} : { [name]: value };
  };
  return {
    ...text('q'),
    ...one('status', STATUSES),
    ...one('attention', ATTENTION_FILTERS),
    ...text('label'),
    ...text('template'),
    ...text('server'),
    ...one('sort', ALL_SORTS),
  };
}

/** The query of the URL, with `?` unless it is empty. */
export function queryOf(filters: JobFilters): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, value]))}`;
}

/** True if rows may be left out. An order leaves none out. */
export function isFiltered(filters: JobFilters): boolean {
  return Object.keys(filters).some((name) => name !== 'sort');
}
