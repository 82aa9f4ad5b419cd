import {
  type ClockChangeOption,
  findUnshareable,
  interned,
  type JobName,
  misfirePolicyOf,
  type Redact,
} from '../../domain/index.js';
import { settingsOf } from '../../operations/index.js';
import type { RegistryNode } from '../../registry/index.js';
import type { FireTimes } from './fire-times.js';

type StoredSettings = NonNullable<ReturnType<typeof settingsOf>['stored']>;

/** Longest description that the index keeps and searches, in characters. */
const LONGEST_DESCRIPTION = 500;
const LONGEST_PROBLEM = 1_000;
const LABEL = /^\s*\[([^\]]{1,64})\]/;
/** Strategy of a job whose settings name none. */
const USUAL_STRATEGY = 'AVG_ALLOCATION';

/** A version of a job's `config`, as far as the index keeps it. */
export interface IndexedSettings {
  /** Names the version among all nodes that this path has had. */
  readonly mzxid: bigint;
  readonly version: number;
  /** Milliseconds since the epoch, on the registry's clock. */
  readonly writtenAt: number;
  readonly description: string;
  readonly label: string | null;
  readonly cron: string | undefined;
  readonly timeZone: string | undefined;
  readonly clockChange: ClockChangeOption;
  readonly total: number;
  readonly after: readonly JobName[];
  readonly isResident: boolean;
  /** False: no instance leaves marks and records. */
  readonly isMonitored: boolean;
  /** True if a server that was never there begins as a disabled one. */
  readonly isDisabled: boolean;
  /** True if Java wrote the text, or somebody else without our additions. */
  readonly isJavas: boolean;
  readonly isUnshareable: boolean;
  readonly problem: string | null;
}

/** Things that reading takes beside the nodes. */
export interface ReadingContext {
  readonly fireTimes: FireTimes;
  /** Goes over texts of people, and problems that repeat such texts. */
  readonly redact: Redact;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The settings in a `config` node. */
export function indexedSettings(
  { data, stat }: RegistryNode,
  jobName: JobName,
  { fireTimes, redact }: ReadingContext,
): IndexedSettings {
  const { problem, stored } = settingsOf(data, jobName);
  const { description = '', nestjs, shardingTotalCount = 0 } = stored ?? {};
  const cron = kept(stored?.cron);
  // One that Java cannot read stands with our own settings.
  const timeZone = kept(stored?.nestjs.timeZone ?? stored?.timeZone);
  const fault = problem ?? fireTimes.findFault({ cron, timeZone, clockChange: 'natural' });
  const shown = redact(description);
  return {
    mzxid: stat.mzxid,
    version: stat.version,
    writtenAt: stat.mtime,
    description: interned(shown.slice(0, LONGEST_DESCRIPTION)),
    label: kept(LABEL.exec(shown)?.[1]) ?? null,
    cron,
    timeZone,
    clockChange: nestjs?.clockChange ?? 'auto',
    total: shardingTotalCount,
    after: cron === undefined ? (nestjs?.after ?? []).map(interned) : [],
    isResident: nestjs?.resident ?? false,
    isMonitored: stored?.monitorExecution ?? false,
    isDisabled: stored?.disabled ?? false,
    isJavas: nestjs?.clockChange === undefined,
    isUnshareable: stored !== undefined && isUnshareable(stored, timeZone),
    problem: fault === undefined ? null : interned(redact(fault).slice(0, LONGEST_PROBLEM)),
  };
}

/** The text as the index keeps it; undefined for an empty one. */
function kept(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : interned(text);
}

function isUnshareable({ jobShardingStrategyType, misfire = false, nestjs }: StoredSettings, timeZone?: string) {
  const { after = [], clockChange = 'auto', misfirePolicy, resident = false, strategy } = nestjs;
  const faults = findUnshareable({
    after,
    clockChange,
    misfirePolicy: misfirePolicyOf(misfire, misfirePolicy),
    resident,
    strategy: { type: strategy ?? (jobShardingStrategyType || USUAL_STRATEGY) },
    timeZone,
  });
  return faults.length > 0;
}
