import { jobNameOf } from '../job-event.catalogue.js';
import type { JobEvent } from '../job-event.js';
import type { EventRow } from './own-row.js';
import { type RowSource, WIDTH } from './row-source.js';
import { describeFailure } from './run-recorder.js';
import { fitting } from './trace-row.js';

/** Kinds that have no row, since the rows of runs and attempts say the same. */
const NOT_KEPT: ReadonlySet<JobEvent['kind']> = new Set([
  'triggered',
  'begun',
  'started',
  'retrying',
  'settled',
  'finished',
  'task-launched',
  'task-state',
]);

/** Fields with columns of their own, or that would say the same once more. */
const NOT_IN_DETAIL: ReadonlySet<string> = new Set([
  'kind',
  'jobName',
  'item',
  'items',
  'fireTime',
  'since',
  'trigger',
  'assignment',
]);

/** Most characters of the columns. */
const MOST_ITEMS = 4_000;
const MOST_DETAIL = 8_000;
/** Most entries of a list, and most characters of a text; half of them if the whole is still too long, and so on. */
const MOST_ENTRIES = 1_024;
const CHARACTERS_OF_ENTRY = 4;

/** How long reports of dropped rows are one row, in milliseconds: in a full queue each row costs another one. */
const DROPPED_MS = 600_000;

/** Turns events into rows of `ELASTIC_JOB_EVENT`. */
export class EventRecorder {
  /** The row of the dropped rows of each history. */
  private readonly dropped = new Map<
    string,
    { readonly row: EventRow; readonly from: number; readonly count: number }
  >();

  constructor(private readonly rows: RowSource) {}

  rowsOf(event: JobEvent): EventRow[] {
    if (NOT_KEPT.has(event.kind)) return [];
    if (event.kind === 'joined') this.rows.instance = fitting(event.instanceId, WIDTH.instance);
    return [event.kind === 'history-dropped' ? this.droppedRow(event) : this.rowOf(event)];
  }

  private rowOf(event: JobEvent): EventRow {
    const fields = fieldsOf(event);
    const jobName = jobNameOf(event);
    return {
      table: 'event',
      id: this.rows.id(),
      number: this.rows.number(),
      jobName: jobName === undefined ? null : fitting(jobName, WIDTH.jobName),
      kind: event.kind,
      toldAt: this.rows.now(),
      items: itemsOf(event),
      fireTime: instantIn(fields, 'fireTime'),
      sinceAt: instantIn(fields, 'since') ?? (event.kind === 'configuration-changed' ? event.at : null),
      instance: this.rows.instance || null,
      detail: detailOf(fields),
    };
  }

  private droppedRow(event: Extract<JobEvent, { kind: 'history-dropped' }>): EventRow {
    const now = this.rows.now();
    const before = this.dropped.get(event.sink);
    const isOne = before !== undefined && now - before.from < DROPPED_MS;
    const count = (isOne ? before.count : 0) + event.count;
    const since = (isOne ? before.row.sinceAt : null) ?? event.since;
    const told = this.rowOf({ ...event, count, since });
    const row = isOne ? { ...told, id: before.row.id, number: before.row.number } : told;
    this.dropped.set(event.sink, { row, from: isOne ? before.from : now, count });
    return row;
  }
}

/** The event's fields, and those of its trigger and of its task that have columns. */
function fieldsOf(event: JobEvent): Readonly<Record<string, unknown>> {
  if ('trigger' in event) {
    const { fireTime, origin, source } = event.trigger;
    return { ...event, fireTime, origin, source };
  }
  return 'task' in event ? { ...event, fireTime: event.task.fireTime } : { ...event };
}

function instantIn(fields: Readonly<Record<string, unknown>>, name: string): number | null {
  const value = fields[name];
  return typeof value === 'number' ? Math.round(value) : null;
}

function itemsOf(event: JobEvent): string | null {
  const items = listedItems(event);
  if (items.length === 0) return null;
  const text = `,${items.join(',')},`;
  return text.length > MOST_ITEMS ? '*' : text;
}

function listedItems(event: JobEvent): readonly number[] {
  if ('items' in event) return event.items;
  if ('item' in event) return [event.item];
  return 'moves' in event ? [...event.moves.keys()] : [];
}

/** A text of JSON that fits its column. Lists and texts are cut for that, and `{name}Cut` has their length then. */
function detailOf(fields: Readonly<Record<string, unknown>>): string {
  const kept = Object.entries(fields).filter(([name, value]) => !NOT_IN_DETAIL.has(name) && value !== undefined);
  const plain = kept.map(([name, value]) => [name, plainOf(name, value)] as const);
  for (let most = MOST_ENTRIES; most >= 1; most /= 2) {
    const text = JSON.stringify(Object.fromEntries(plain.flatMap(([name, value]) => cutField(name, value, most))));
    if (text.length <= MOST_DETAIL) return text;
  }
  return '{}';
}

/** A value as JSON has it. Whatever was thrown, also as a reason, becomes a text. */
function plainOf(name: string, value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries<unknown>(value);
  const isThrown = name === 'error' || (name === 'reason' && typeof value !== 'string');
  return isThrown ? describeFailure(value) : value;
}

function cutField(name: string, value: unknown, most: number): [string, unknown][] {
  const cut = `${name}Cut`;
  if (typeof value === 'string') {
    const units = most * CHARACTERS_OF_ENTRY;
    return value.length <= units
      ? [[name, value]]
      : [
          [name, fitting(value, units)],
          [cut, value.length],
        ];
  }
  if (Array.isArray(value)) {
    const length = value.length;
    return length <= most
      ? [[name, value]]
      : [
          [name, value.slice(0, most)],
          [cut, length],
        ];
  }
  if (typeof value !== 'object' || value === null) return [[name, value]];
  const entries = Object.entries(value);
  if (entries.length <= most) return [[name, value]];
  return [
    [name, Object.fromEntries(entries.slice(0, most))],
    [cut, entries.length],
  ];
}
