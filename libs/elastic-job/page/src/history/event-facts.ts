/** Facts that events of the history tell, as a list of them and the timeline need them. */
import type { EventRow } from '../../../src/console/contract/history-answers.js';

/** Kinds by which a list can be filtered, those that somebody has to look at first. */
export const KINDS = [
  'missed',
  'hung',
  'late',
  'resharded',
  'claimed',
  'orphaned',
  'cut-short',
  'executor-died',
  'failover-overflow',
  'failover-purged',
  'misfired',
  'skipped',
  'refused',
  'postponed',
  'dependency-not-met',
  'early',
  'clock',
  'joined',
  'left',
  'leader-elected',
  'session',
  'sharding-timeout',
  'settle-delayed',
  'mark-released',
  'trigger-requested',
  'server-switched',
  'mixed',
  'configuration-changed',
  'configuration-differs',
  'task-queued',
  'task-adopted',
  'task-lost',
  'task-released',
  'history-dropped',
  'error-handler-failed',
  'warning',
  'error',
] as const;

type Facts = EventRow['facts'];

/** Fields that say in a word or a line what has happened, the most telling first. */
const TELLING = ['reason', 'cause', 'state', 'source', 'status', 'message', 'error', 'parent', 'serverIp', 'sink'];

/** Words of an event: why, what state, or its error. */
export function wordsOf({ facts }: Pick<EventRow, 'facts'>): readonly string[] {
  return TELLING.flatMap((name) => textOf(facts[name]) ?? []);
}

/** Names of settings, of an event that tells of them. */
export function fieldsOf({ facts }: Pick<EventRow, 'facts'>): readonly string[] {
  const { fields } = facts;
  return Array.isArray(fields) ? fields.filter((field): field is string => typeof field === 'string') : [];
}

/** Number of items that a plan has moved; undefined for other events. */
export function movedCount({ facts, kind }: Pick<EventRow, 'facts' | 'kind'>): number | undefined {
  if (kind !== 'resharded') return undefined;
  const cut = facts['movesCut'];
  return typeof cut === 'number' ? cut : movesOf(facts).length;
}

/** Number of fire times of a `missed` event, or of runs of a `late` one; undefined for others. */
export function countOf({ facts }: Pick<EventRow, 'facts'>): number | undefined {
  const { count } = facts;
  return typeof count === 'number' ? count : undefined;
}

/** The instances whose crash the leader tells by a plan; none for other events. */
export function crashedOf({ facts, kind }: Pick<EventRow, 'facts' | 'kind'>): readonly string[] {
  if (kind !== 'resharded' || facts['cause'] !== 'crashed') return [];
  return [...new Set(movesOf(facts).flatMap(([, move]) => textOf(Object(move).from) ?? []))];
}

/** The instances that items were taken from since they have crashed, by item: of the newest crash of each. */
export function crashedOwners(newestFirst: readonly Pick<EventRow, 'facts' | 'kind'>[]): ReadonlyMap<number, string> {
  const owners = new Map<number, string>();
  for (const event of newestFirst) {
    if (crashedOf(event).length === 0) continue;
    for (const [item, move] of movesOf(event.facts)) {
      const from = textOf(Object(move).from);
      if (from !== undefined && !owners.has(item)) owners.set(item, from);
    }
  }
  return owners;
}

/** All other fields, as text. */
export function detailsOf({ facts }: Pick<EventRow, 'facts'>): string {
  return Object.keys(facts).length === 0 ? '' : JSON.stringify(facts, undefined, 2);
}

/** By item, or as pairs of an item and its move. */
function movesOf({ moves }: Facts): readonly (readonly [item: number, move: unknown])[] {
  const pairs: readonly unknown[] = Array.isArray(moves) ? moves : Object.entries(Object(moves));
  return pairs.flatMap((pair) => (Array.isArray(pair) ? [[Number(pair[0]), pair[1]] as const] : []));
}

/** An error may be an object with its message. */
function textOf(value: unknown): string | undefined {
  const text = typeof value === 'object' && value !== null ? Reflect.get(value, 'message') : value;
  return typeof text === 'string' && text !== '' ? text : undefined;
}
