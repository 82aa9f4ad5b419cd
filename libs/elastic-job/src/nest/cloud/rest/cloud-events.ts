import { BadRequestException } from '@nestjs/common';
import { show } from '../../../domain/index.js';
import type {
  ApplicationRunHistory,
  ExecutionFilter,
  StatusTrace,
  TraceFilter,
  TracePage,
} from '../../../tracing/index.js';

/** A page of rows, the newest first. @see ElasticJob-Cloud 3.0.2, `JobEventRdbSearch.Result` */
export interface CloudEventsAnswer<Row> {
  /** Of all pages. */
  readonly total: number;
  readonly rows: readonly Row[];
}

/** A run of an item. Instants are ISO 8601. @see ElasticJob 3.0.2, `JobExecutionEvent` */
export interface CloudExecutionAnswer {
  readonly id: string;
  readonly hostname: string;
  readonly ip: string;
  readonly taskId: string;
  readonly jobName: string;
  readonly source: string;
  readonly shardingItem: number;
  readonly startTime: Date;
  readonly completeTime: Date | undefined;
  readonly success: boolean;
  readonly failureCause: string | undefined;
}

/** A state of a task. @see ElasticJob 3.0.2, `JobStatusTraceEvent` */
export type CloudStatusAnswer = Omit<StatusTrace, 'shardingItem'> & { readonly shardingItems: string };

/** Parameters of a request, as Nest passes them. */
type CloudQuery = Readonly<Record<string, unknown>>;

const PAGING = ['page', 'per_page', 'perPage', 'sort', 'order', 'startTime', 'endTime', 'jobName', 'taskId'];
/** Rows that are read at once, as `SqlHistory` allows. */
const MOST_ROWS = 1_000;
/** The history is read from its newest row, so a distant page costs as much as all rows before it. */
const MOST_DEPTH = 10_000;

interface Page {
  readonly offset: number;
  readonly size: number;
}

/** The history of runs, as ElasticJob-Cloud's REST interface answers it. */
export class CloudEvents {
  constructor(private readonly history: ApplicationRunHistory) {}

  /** @throws {BadRequestException} @throws {MissingRunHistoryError} @throws the driver's error */
  async executions(query: CloudQuery): Promise<CloudEventsAnswer<CloudExecutionAnswer>> {
    const texts = textsOf(query, [...PAGING, 'isSuccess'], 'startTime');
    const { isSuccess } = texts;
    if (isSuccess !== undefined && !['true', 'false', '1', '0'].includes(isSuccess)) {
      throw new BadRequestException(`isSuccess must be true or false, but is ${show(isSuccess)}.`);
    }
    const filter: ExecutionFilter = {
      ...filterOf(texts),
      ...(isSuccess !== undefined && { isSuccess: isSuccess === 'true' || isSuccess === '1' }),
    };
    const page = pageOf(texts);
    const history = await this.history.open();
    const { executions: total } = await history.countExecutions(filter);
    const rows = await readPage(page, (from) => history.executions({ ...filter, ...from }));
    return { total, rows: rows.map(({ isSuccess: success, ...row }) => ({ ...row, success })) };
  }

  /** @throws {BadRequestException} @throws {MissingRunHistoryError} @throws the driver's error */
  async statuses(query: CloudQuery): Promise<CloudEventsAnswer<CloudStatusAnswer>> {
    const texts = textsOf(query, PAGING, 'creationTime');
    const filter = filterOf(texts);
    const page = pageOf(texts);
    const history = await this.history.open();
    const total = await history.countStatuses(filter);
    const rows = await readPage(page, (from) => history.statuses({ ...filter, ...from }));
    return { total, rows: rows.map(({ shardingItem: shardingItems, ...row }) => ({ ...row, shardingItems })) };
  }
}

/** An empty parameter counts as not given, as in Java. */
function textsOf(query: CloudQuery, known: readonly string[], sort: string): Partial<Record<string, string>> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const texts: Partial<Record<string, string>> = {};
  for (const [name, value] of given) {
    if (!known.includes(name)) {
      throw new BadRequestException(`${name} is not a parameter here; known are ${known.join(', ')}.`);
    }
    if (typeof value !== 'string') throw new BadRequestException(`${name} must be given once, but is ${show(value)}.`);
    texts[name] = value;
  }
  const { order = 'DESC', sort: by = sort } = texts;
  if (by !== sort || order.toUpperCase() !== 'DESC') {
    throw new BadRequestException(
      `sort and order can only be ${sort} and DESC, but are ${show(by)} and ${show(order)}.`,
    );
  }
  return texts;
}

function filterOf({ endTime, jobName, startTime, taskId }: Partial<Record<string, string>>): TraceFilter {
  return {
    ...(jobName !== undefined && { jobName }),
    ...(taskId !== undefined && { taskId }),
    ...(startTime !== undefined && { from: timeOf('startTime', startTime) }),
    ...(endTime !== undefined && { to: timeOf('endTime', endTime) }),
  };
}

/** ISO 8601, or `yyyy-MM-dd HH:mm:ss` in the zone of this process, as in Java. */
function timeOf(name: string, text: string): Date {
  const isTime = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/.test(text);
  const time = new Date(isTime ? text.replace(' ', 'T') : Number.NaN);
  if (!Number.isNaN(time.getTime())) return time;
  throw new BadRequestException(`${name} must be like "2024-01-31 23:59:59" or ISO 8601, but is ${show(text)}.`);
}

function pageOf({ page = '1', per_page, perPage = per_page ?? '10' }: Partial<Record<string, string>>): Page {
  const [number, size] = [numberOf('page', page, MOST_DEPTH), numberOf('perPage', perPage, MOST_ROWS)];
  const offset = (number - 1) * size;
  if (offset + size <= MOST_DEPTH) return { offset, size };
  throw new BadRequestException(`The page must end within ${MOST_DEPTH} rows; give startTime and endTime as well.`);
}

function numberOf(name: string, text: string, most: number): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1 && value <= most) return value;
  throw new BadRequestException(`${name} must be a whole number from 1 to ${most}, but is ${show(text)}.`);
}

async function readPage<Row>(
  { offset, size }: Page,
  read: (from: { readonly limit: number; readonly cursor?: string }) => Promise<TracePage<Row>>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const limit = Math.min(MOST_ROWS, offset + size - rows.length);
    const page = await read({ limit, ...(cursor !== undefined && { cursor }) });
    rows.push(...page.rows);
    ({ cursor } = page);
  } while (cursor !== undefined && rows.length < offset + size);
  return rows.slice(offset);
}
