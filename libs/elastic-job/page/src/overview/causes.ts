/** Causes why a job needs attention, one a line, with all that the tree and the audit tell of each. */
import type {
  Attention,
  DisabledBy,
  ItemAnswer,
  JobAnswer,
  JobRow,
} from '../../../src/console/contract/job-answers.js';
import type { Tone } from '../parts/tag.js';

export type Reason = Attention | 'task-unreachable';

/** Known once the job was read; without it the lines stand there all the same. */
export interface JobDetails {
  readonly job?: JobAnswer | undefined;
  readonly items?: readonly ItemAnswer[] | undefined;
}

export interface Cause {
  readonly reason: Reason;
  /** ISO 8601; undefined: nobody knows. */
  readonly since: string | undefined;
  /** Those items that it is about; none if it is about the job. */
  readonly items: readonly number[];
  /** A text of the registry, the history or the audit: an error, a problem, a reason. */
  readonly text: string | undefined;
  /** The one who has disabled it; undefined if that is not known, or if it is about something else. */
  readonly by: DisabledBy | undefined;
}

/** Reasons as a person has to hear of them, the most severe first. */
const ORDER: readonly Reason[] = [
  'crashed',
  'no-leader',
  'failed',
  'overdue',
  'unreadable',
  'unreachable',
  'task-unreachable',
  'no-owner',
  'queued',
  'mixed',
  'disabled',
];

/** The same colour in every view. */
export const REASON_TONES: Readonly<Record<Reason, Tone>> = {
  failed: 'bad',
  crashed: 'bad',
  'no-leader': 'bad',
  unreadable: 'bad',
  unreachable: 'bad',
  overdue: 'miss',
  'task-unreachable': 'warn',
  'no-owner': 'warn',
  queued: 'move',
  mixed: 'warn',
  disabled: 'off',
};

export function causesOf(row: JobRow, { items = [], job }: JobDetails): readonly Cause[] {
  const lost = items.filter(({ task }) => task?.state === 'UNREACHABLE');
  const reasons: readonly Reason[] = lost.length > 0 ? [...row.attention, 'task-unreachable'] : row.attention;
  return reasons
    .toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b))
    .map((reason) => ({ reason, ...NOTHING, ...factsOf(reason, row, { items, job, lost }) }));
}

/** True if the items have to be read, or the job, to know more of it. */
export function needsDetails({ attention, inTasks }: JobRow): boolean {
  return inTasks || attention.some((reason) => ['failed', 'queued', 'no-owner', 'disabled'].includes(reason));
}

const NOTHING = { since: undefined, items: [], text: undefined, by: undefined };

interface Known {
  readonly items: readonly ItemAnswer[];
  readonly job: JobAnswer | undefined;
  readonly lost: readonly ItemAnswer[];
}

function factsOf(reason: Reason, row: JobRow, { items, job, lost }: Known): Partial<Cause> {
  switch (reason) {
    case 'failed': {
      const failed = items.filter(({ lastRun }) => lastRun?.outcome === 'failed');
      return {
        ...about(failed, ({ lastRun }) => lastRun?.settledAt),
        // The last run of an item is not the first one that has failed.
        ...(row.failedSince !== null && { since: row.failedSince }),
        text: failed.flatMap(({ lastRun }) => lastRun?.error ?? [])[0],
      };
    }
    case 'queued':
      return about(
        items.filter(({ queued }) => queued !== null),
        ({ queued }) => queued,
      );
    case 'no-owner':
      return about(
        items.filter(({ owner }) => owner === null),
        () => undefined,
      );
    case 'task-unreachable':
      return { ...about(lost, ({ task }) => task?.since), text: lost.flatMap(({ task }) => task?.detail ?? [])[0] };
    case 'disabled':
      return disabledFacts(row, items, job);
    case 'unreadable':
    case 'unreachable':
      return { text: row.problem ?? undefined };
    case 'crashed':
    case 'mixed':
    case 'no-leader':
    case 'overdue':
      return {};
    default:
      return reason satisfies never;
  }
}

function disabledFacts(row: JobRow, items: readonly ItemAnswer[], job: JobAnswer | undefined): Partial<Cause> {
  if (row.status === 'DISABLED') {
    const by = job?.disabled ?? undefined;
    return { by, since: by?.at ?? undefined, text: by?.reason ?? undefined };
  }
  const disabled = items.filter(({ disabled: one }) => one !== null);
  const by = disabled.map(({ disabled: one }) => one).find((one) => one !== null && one.by !== null) ?? undefined;
  return {
    ...about(disabled, ({ disabled: one }) => one?.at),
    items: row.disabledItems,
    by,
    text: by?.reason ?? undefined,
  };
}

/** The items, and the earliest of their instants. */
function about(items: readonly ItemAnswer[], instantOf: (item: ItemAnswer) => string | null | undefined) {
  const instants = items.flatMap((item) => instantOf(item) ?? []).toSorted();
  return { items: items.map(({ item }) => item), since: instants[0] };
}
