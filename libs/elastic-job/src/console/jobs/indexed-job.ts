import { CLOUD_TEMPLATE } from '../../cloud/index.js';
import {
  interned,
  type JobBriefStatus,
  type JobName,
  owesAfter,
  parseCreatedJob,
  parseRunRecord,
  type RunRecord,
} from '../../domain/index.js';
import { type JobFacts, type JobPart, type OwnWords, statusOf } from '../../operations/index.js';
import { isoOf, type JobRow, UNKNOWN_PULSE } from '../contract/index.js';
import { attentionOf, reasonsIn, weightOf } from './attention.js';
import type { SharedTimetable } from './fire-times.js';
import { type IndexedSettings, indexedSettings, type ReadingContext } from './indexed-settings.js';

/** Parts of a job that its row is made of. */
export const ROW_PARTS: readonly JobPart[] = [
  'instances',
  'sessions',
  'servers',
  'items',
  'queue',
  'records',
  'running',
  'lead',
];

/** Milliseconds for which a fire time may be due without a record. */
const OVERDUE_MS = 60_000;
/** Longest texts that the index keeps, in characters, as anybody may have written them. */
const LONGEST_LEADER = 512;
const LONGEST_TEMPLATE = 512;

/** An instance in a job, and its words about itself, if it has told any. */
export interface IndexedInstance extends OwnWords {
  readonly id: string;
  readonly serverIp: string;
  readonly isJavas: boolean;
  /** Release of its application; undefined if it tells none, as Java's. */
  readonly version: string | undefined;
  /** When it joined this job, in milliseconds since the epoch. */
  readonly joinedAt: number;
}

/** A job as the index keeps it: values alone, which many jobs share, and no texts of nodes. */
export interface IndexedJob {
  readonly job: JobName;
  readonly settings: IndexedSettings;
  readonly status: JobBriefStatus;
  /** @see weightOf */
  readonly attention: number;
  /** Undefined: nothing of it fires. */
  readonly timetable: SharedTimetable | undefined;
  /** True if Quartz's rules hold, since Java fires it as well. */
  readonly isQuartz: boolean;
  readonly items: number;
  readonly running: number;
  readonly disabledItems: readonly number[];
  readonly instances: readonly IndexedInstance[];
  readonly servers: readonly { readonly serverIp: string; readonly isDisabled: boolean }[];
  readonly leader: string | null;
  readonly template: string | null;
  readonly isBeingRemoved: boolean;
  readonly isInTasks: boolean;
  readonly registeredIn: JobRow['registeredIn'];
  /** Why nothing below the job may be read. */
  readonly unreachable: string | null;
  /** Number of nodes that a reading takes. */
  readonly nodes: number;
  /** Milliseconds since the epoch. */
  readonly readAt: number;
}

/**
 * A job as it was read.
 * @param known as it was read before
 * @returns undefined for a node that is no job, since it has no `config`
 */
export function indexedJob(
  facts: JobFacts,
  known: IndexedJob | undefined,
  context: ReadingContext,
): IndexedJob | undefined {
  const { fireTimes, now } = context;
  const { config, paths } = facts;
  if (config === undefined) return undefined;
  const isSame = known?.settings.mzxid === config.stat.mzxid && known.settings.version === config.stat.version;
  const settings = isSame ? known.settings : indexedSettings(config, paths.jobName, context);
  const records = recordsOf(facts);
  const origin = originOf(facts, settings);
  const status = statusOf(facts);
  const instances = instancesOf(facts);
  const isFiring = status !== 'DISABLED' && !origin.isBeingRemoved;
  const isQuartz = instances.some(({ isJavas }) => isJavas) || origin.registeredIn === 'java';
  const timetable = isFiring ? fireTimes.in(settings, isQuartz) : undefined;
  const isJudged = settings.isMonitored && origin.registeredIn !== 'java';
  const isLate = isJudged && timetable !== undefined && isOverdue(facts, records, { settings, timetable, now });
  return {
    job: paths.jobName,
    settings,
    status,
    attention: attentionIn(facts, records, { settings, status, instances, isLate, ...origin }),
    timetable,
    isQuartz,
    ...origin,
    ...membersOf(facts),
    instances,
    items: settings.total,
    running: facts.runningItems.length,
    disabledItems: facts.disabledItems,
    isInTasks: origin.registeredIn === 'cloud' || records.some(({ record }) => record?.launch !== undefined),
    unreachable: null,
    nodes: nodesIn(facts),
    readAt: now,
  };
}

function attentionIn(
  facts: JobFacts,
  records: readonly ItemRecord[],
  judged: Pick<IndexedJob, 'instances' | 'isBeingRemoved' | 'settings' | 'status'> & { readonly isLate: boolean },
): number {
  const { instances, isBeingRemoved, isLate, settings, status } = judged;
  const javas = instances.filter(({ isJavas }) => isJavas).length;
  const attention = attentionOf({
    status,
    isBeingRemoved,
    hasLeader: facts.leader !== undefined,
    lacksOwner: lacksOwner(facts, settings.total),
    disabledItems: facts.disabledItems.length,
    failedItems: records.filter(({ record }) => record?.settled?.outcome === 'failed').length,
    queuedItems: facts.queuedItems.length,
    isOverdue: isLate,
    isMixed: settings.isUnshareable && javas > 0 && javas < instances.length,
    isUnreadable: settings.problem !== null,
  });
  return weightOf(attention);
}

/** A job that may not be read. What was known of it stays. */
export function unreachableJob(
  job: JobName,
  known: IndexedJob | undefined,
  { because, now }: { readonly because: string; readonly now: number },
): IndexedJob {
  return { ...(known ?? { ...UNKNOWN, job }), attention: weightOf(['unreachable']), unreachable: because, readAt: now };
}

const UNKNOWN: Omit<IndexedJob, 'attention' | 'job' | 'readAt' | 'unreachable'> = {
  settings: {
    mzxid: -1n,
    version: -1,
    writtenAt: 0,
    description: '',
    label: null,
    cron: undefined,
    timeZone: undefined,
    clockChange: 'auto',
    total: 0,
    after: [],
    isResident: false,
    isMonitored: false,
    isDisabled: false,
    isJavas: false,
    isUnshareable: false,
    problem: null,
  },
  // No instance can be seen.
  status: 'CRASHED',
  timetable: undefined,
  isQuartz: false,
  items: 0,
  running: 0,
  disabledItems: [],
  instances: [],
  servers: [],
  leader: null,
  template: null,
  isBeingRemoved: false,
  isInTasks: false,
  registeredIn: 'code',
  nodes: 8,
};

/** @param now milliseconds since the epoch */
export function jobRow(indexed: IndexedJob, now: number): JobRow {
  const { attention, instances, readAt, settings, status, timetable, unreachable } = indexed;
  const next = timetable?.next(now);
  return {
    job: indexed.job,
    label: settings.label,
    status,
    attention: reasonsIn(attention),
    cron: settings.cron ?? null,
    timeZone: settings.timeZone ?? null,
    nextFireTime: next === undefined ? null : isoOf(next),
    items: indexed.items,
    running: indexed.running,
    disabledItems: indexed.disabledItems,
    instances: instances.length,
    javaInstances: instances.filter(({ isJavas }) => isJavas).length,
    leader: indexed.leader,
    template: indexed.template,
    isBeingRemoved: indexed.isBeingRemoved,
    resident: settings.isResident,
    inTasks: indexed.isInTasks,
    registeredIn: indexed.registeredIn,
    problem: unreachable ?? settings.problem,
    ...UNKNOWN_PULSE,
    asOf: isoOf(readAt),
  };
}

function instancesOf({ instances, sessions }: JobFacts): readonly IndexedInstance[] {
  const silent = { clockOffsetMs: undefined, drainingSince: undefined };
  return instances.map(({ isOurs, jobInstanceId: id, joinedAt, serverIp, version }) => {
    return { id, serverIp, isJavas: !isOurs, version, joinedAt, ...(sessions.get(id) ?? silent) };
  });
}

function membersOf({ leader, servers }: JobFacts): Pick<IndexedJob, 'leader' | 'servers'> {
  return {
    leader: leader === undefined ? null : interned(leader.data.slice(0, LONGEST_LEADER)),
    servers: servers.map(({ serverIp, status }) => {
      return { serverIp: interned(serverIp), isDisabled: status === 'DISABLED' };
    }),
  };
}

function originOf(
  { root, term }: JobFacts,
  { isJavas }: IndexedSettings,
): Pick<IndexedJob, 'isBeingRemoved' | 'registeredIn' | 'template'> {
  const created = parseCreatedJob(root?.data ?? '');
  if (created === undefined) {
    return { template: null, isBeingRemoved: false, registeredIn: isJavas && term === undefined ? 'java' : 'code' };
  }
  const { isBeingRemoved, template } = created;
  return {
    template: interned(template.slice(0, LONGEST_TEMPLATE)),
    isBeingRemoved,
    registeredIn: template === CLOUD_TEMPLATE ? 'cloud' : 'template',
  };
}

/** Nodes that were read, those that were not there included. */
function nodesIn({ instances, owners, servers }: JobFacts): number {
  return 8 + 2 * instances.length + servers.length + 4 * owners.size;
}

function lacksOwner({ instances, owners }: JobFacts, total: number): boolean {
  const ids = new Set(instances.map(({ jobInstanceId }) => jobInstanceId));
  const isOwned = (owner: string | undefined) => owner !== undefined && ids.has(owner);
  return owners.size < total || [...owners].some(([item, owner]) => item < total && !isOwned(owner));
}

/** The record of an item. */
interface ItemRecord {
  readonly item: number;
  /** Undefined: it cannot be read. */
  readonly record: RunRecord | undefined;
  /** The instant after which the item owes fire times, in milliseconds since the epoch; undefined if it is unknown. */
  readonly owesAfter: number | undefined;
}

function recordsOf({ records }: JobFacts): readonly ItemRecord[] {
  return [...records].map(([item, { data, stat }]) => {
    const stored = parseRunRecord(data, stat.mtime);
    return { item, record: stored.kind === 'record' ? stored.record : undefined, owesAfter: owesAfter(stored) };
  });
}

/**
 * True if a fire time is due for a minute, and an item that could have run has no record of it. What has come while the
 * item ran, while its server was disabled, or before the settings were written, is not owed.
 */
function isOverdue(
  { disabledItems, instances, owners, runningItems, servers }: JobFacts,
  records: readonly ItemRecord[],
  { now, settings, timetable }: Readonly<{ now: number; settings: IndexedSettings; timetable: SharedTimetable }>,
): boolean {
  const javas = new Set(instances.flatMap(({ isOurs, jobInstanceId }) => (isOurs ? [] : jobInstanceId)));
  const excused = new Set([...disabledItems, ...runningItems]);
  const known = new Map(records.map((one) => [one.item, one]));
  const enabledAt = servers.flatMap(({ status, writtenAt }) => (status === 'DISABLED' ? [] : writtenAt));
  const since = Math.max(settings.writtenAt, enabledAt.length === 0 ? 0 : Math.min(...enabledAt));
  const owing = [...owners].filter(([item, owner = '']) => {
    return item < settings.total && !excused.has(item) && !javas.has(owner);
  });
  if (owing.length === 0) return false;
  const doneUpTo = owing.map(([item]) => {
    const { owesAfter: after, record } = known.get(item) ?? {};
    return Math.max(since, after ?? 0, record?.settled?.at ?? 0);
  });
  const due = timetable.after(doneUpTo.reduce((earliest, one) => Math.min(earliest, one)));
  return due !== undefined && due <= now - OVERDUE_MS;
}
