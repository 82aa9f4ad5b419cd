// Why an item is where it is: the events that have moved it, and the runs that were cut by that, in plain English.
import { isObject } from '../../domain/index.js';
import type { JobHistoryEvent, JobRun } from '../../tracing/index.js';
import { type HistoryState, isoOf, type WhyAnswer, type WhyMove } from '../contract/index.js';

/** An item as the registry has it now. */
export interface PlacedItem {
  readonly job: string;
  readonly item: number;
  readonly owner: string | null;
  /** The instance that runs it. */
  readonly holder: string | null;
}

const MOST_MOVES = 20;

/** Each kind of event that moves an item, in words. */
const TEXTS: Readonly<Record<string, (by: string) => string>> = {
  orphaned: (by) => `queued for failover by ${by}, since its instance had crashed while it ran`,
  claimed: (by) => `claimed by ${by}`,
  'failover-overflow': () => 'not failed over, since the failover queue was full',
  'failover-purged': (by) => `taken out of the failover queue by ${by}`,
  'executor-died': (by) => `the process or thread that worked on it on ${by} has died`,
  'mark-released': (by) => `its marks were removed by ${by}, which did not run it`,
  'task-queued': (by) => `its task waits in the backend, as ${by} has told`,
  'task-adopted': (by) => `its task was adopted by ${by}, and goes on`,
  'task-lost': (by) => `nobody knows if its task still runs, as ${by} has told`,
  'task-released': (by) => `its task was released by ${by}`,
};

/** Kinds that are asked for. */
export const WHY_KINDS: readonly string[] = ['resharded', ...Object.keys(TEXTS)];

/** Causes of a plan, as ends of a sentence. */
const CAUSES: Readonly<Record<string, string>> = {
  crashed: 'since an owner had crashed',
  left: 'since an owner was leaving',
  disabled: 'since the server of an owner had been disabled',
  total: 'since the number of items had changed',
  joined: 'since an instance had joined',
  operator: 'since somebody had asked for a plan, or had changed the strategy or owners',
};

/** Words for kinds of moves that are causes themselves. */
const KIND_OF_CLAIM = 'FAILOVER';

/**
 * @param events of the item and of the kinds above, in any order
 * @param runs of the item, the newest first
 */
export function whyOf(
  placed: PlacedItem,
  events: readonly JobHistoryEvent[],
  runs: readonly JobRun[],
): Omit<WhyAnswer, keyof HistoryState> {
  const moved = events.flatMap((event) => moveOf(event, placed.item)).toSorted(byTime);
  const moves = [...moved, ...runs.filter(isTold).flatMap(movesOfRun)].toSorted(byTime).slice(-MOST_MOVES);
  const came = moved.findLast(({ kind, to }) => kind === 'resharded' && to === placed.owner);
  const since = came?.at ?? null;
  const taken = moved.findLast(({ cause, instance }) => cause === KIND_OF_CLAIM && instance === placed.holder);
  return {
    ...placed,
    from: came?.from ?? null,
    since,
    cause: came?.cause ?? null,
    text: textOf(placed, came, taken),
    moves,
  };
}

function textOf(
  { holder, item, job, owner }: PlacedItem,
  came: WhyMove | undefined,
  taken: WhyMove | undefined,
): string {
  const what = `item ${item} of ${job}`;
  const now = owner === null ? `${what} has no owner` : `${what} is owned by ${owner}`;
  const runs = holder === null || holder === owner ? '' : `, and runs on ${holder}`;
  const failover = runs === '' || taken === undefined ? runs : `${runs} by failover since ${taken.at}`;
  if (owner === null) return now + failover;
  if (came === undefined) return `${now}${failover}; the history does not tell how it has come there`;
  return `${now} since ${came.at}: ${came.text}${failover}`;
}

function moveOf(event: JobHistoryEvent, item: number): readonly WhyMove[] {
  const { at, instance = null, kind } = event;
  const move = { at: isoOf(at), kind, instance, from: null, to: null, cause: null, token: null };
  if (kind === 'resharded') {
    const plan = ownersIn(event.detail['moves'], item);
    const cause = wordOf(event.detail['cause']);
    return plan === undefined ? [] : [{ ...move, ...plan, cause, text: textOfPlan(plan, cause) }];
  }
  const text = Object.hasOwn(TEXTS, kind) ? TEXTS[kind] : undefined;
  if (text === undefined) return [];
  const cause = wordOf(event.detail['source'] ?? event.detail['requeue'] ?? event.detail['state']);
  return [{ ...move, cause, text: text(instance ?? 'an instance') }];
}

interface Owners {
  readonly from: string | null;
  readonly to: string | null;
}

/** Moves are kept by their items. */
function ownersIn(moves: unknown, item: number): Owners | undefined {
  const move: unknown = isObject(moves) ? moves[String(item)] : undefined;
  return isObject(move) ? { from: wordOf(move['from']), to: wordOf(move['to']) } : undefined;
}

function wordOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function textOfPlan({ from, to }: Owners, cause: string | null): string {
  const because = cause !== null && Object.hasOwn(CAUSES, cause) ? `, ${CAUSES[cause]}` : '';
  if (to === null) return `taken from ${from}${because}`;
  return (from === null ? `given to ${to}` : `moved from ${from} to ${to}`) + because;
}

/** The latest run is told, and those before it that have not ended well or were failed over. */
function isTold({ outcome, source }: JobRun, index: number): boolean {
  return index === 0 || source === KIND_OF_CLAIM || !['succeeded', 'running'].includes(outcome);
}

function movesOfRun({
  attempts,
  begunAt,
  cause,
  instance,
  ip,
  outcome,
  settledAt,
  source,
  token,
}: JobRun): readonly WhyMove[] {
  const by = instance ?? ip;
  const move = { instance: instance ?? null, from: null, to: null, token: token ?? null };
  const begun = { ...move, at: isoOf(begunAt), kind: 'begun', cause: source, text: `begun on ${by}` };
  if (settledAt === undefined) {
    return [outcome === 'lost' ? { ...begun, text: `begun on ${by}; its end was never written` } : begun];
  }
  const after = attempts > 1 ? ` after ${attempts} attempts` : '';
  return [
    begun,
    { ...move, at: isoOf(settledAt), kind: outcome, cause: cause ?? null, text: `${outcome}${after} on ${by}` },
  ];
}

function byTime(a: WhyMove, b: WhyMove): number {
  return a.at < b.at ? -1 : Number(a.at > b.at);
}
