// Reports about jobs' settings: when they are made, and which differences are new.
import { type Clock, HeldBack } from '../../clock/index.js';
import type { ConfigurationDifference } from '../../coordination/index.js';

/** Milliseconds between two reports of one kind about one job. */
const WINDOW_MS = 60_000;

/** A node may have 256 KB and thousands of props, and each edit of it is reported and kept. */
const MOST_DIFFERENCES = 20;
const MOST_CHARACTERS = 100;

/**
 * Reports of a process about its jobs' settings, which anybody who writes to the registry can change a thousand times a
 * second. The first of a kind is reported at once. Later ones are held back to the end of the following minute; what is
 * true and unreported by then is reported together.
 */
export class SettingsReports {
  private readonly heldBack: HeldBack<() => void>;

  constructor(private readonly clock: Pick<Clock, 'monotonicNow' | 'setTimer' | 'wallNow'>) {
    this.heldBack = new HeldBack(clock, {
      windowMs: WINDOW_MS,
      join: (_, next) => next,
      deliver: (report) => report(),
    });
  }

  /** The present instant, in milliseconds since the epoch. */
  get now(): number {
    return this.clock.wallNow();
  }

  /** @param report reports what is new when it is called, or nothing */
  add(jobName: string, kind: string, report: () => void): void {
    this.heldBack.add(`${jobName}/${kind}`, report);
  }

  /** Forgets a job that has left this process. */
  forget(jobName: string): void {
    this.heldBack.forget((name) => name.startsWith(`${jobName}/`));
  }

  /** Reports what is held back, and holds nothing back any more. */
  end(): void {
    this.heldBack.end();
  }
}

/** Change of the differences since an event has named them. */
interface ChangedDifferences {
  /** Those that are new, or have come back. */
  readonly differences: readonly string[];
  /** Fields that an event has named and that differ no more. */
  readonly agreed: readonly string[];
  /** Number of all that there are now. */
  readonly total: number;
  /** Number of changes that have led here. */
  readonly count: number;
  /** True if there are some, and the registry may set none of them. */
  readonly isRefused: boolean;
}

/** Differences between the registry and a job's local options, and those of them that events have named. */
export class ReportedDifferences {
  private present: readonly ConfigurationDifference[] = [];
  private described: readonly string[] = [];
  /** Texts that an event has named and that have been true since. */
  private reported: readonly string[] = [];
  private reportedFields: readonly string[] = [];
  private changes = 0;

  /** One text for each of the first differences; long texts and lists are cut. */
  get texts(): readonly string[] {
    return this.described;
  }

  /** @returns true if they are others than before */
  note(present: readonly ConfigurationDifference[]): boolean {
    const former = this.described;
    this.present = present;
    this.described = describeFirst(present, describe);
    this.reported = this.reported.filter((text) => this.described.includes(text));
    const isSame = former.length === this.described.length && former.every((text) => this.described.includes(text));
    if (!isSame) this.changes += 1;
    return !isSame;
  }

  /** The change to report now; from now on it counts as reported. */
  take(): ChangedDifferences {
    const fields = new Set(this.present.map(({ field }) => field));
    const change = {
      differences: this.described.filter((text) => !this.reported.includes(text)),
      agreed: describeFirst(
        this.reportedFields.filter((field) => !fields.has(field)),
        cut,
      ),
      total: fields.size,
      count: this.changes,
      isRefused: this.present.length > 0 && this.present.every(({ isRefused }) => isRefused === true),
    };
    this.reported = this.described;
    this.reportedFields = [...fields];
    this.changes = 0;
    return change;
  }
}

/** One text for each of the first of all, and one for the rest. */
function describeFirst<T>(all: readonly T[], describeOne: (one: T) => string): readonly string[] {
  const described = all.slice(0, MOST_DIFFERENCES).map(describeOne);
  const others = all.length - described.length;
  return others === 0 ? described : [...described, `and ${others} others`];
}

function describe({ field, isRefused, local, stored }: ConfigurationDifference): string {
  const both = `${cut(field)}: ${cut(local)} here, ${cut(stored)} in the registry`;
  return isRefused ? `${both}, which is not followed (see allowRegistryTargets)` : both;
}

/** Quotes a text of which a reader would not see all: an empty one, and one that begins or ends with a blank. */
function quoted(text: string): string {
  return text !== '' && text.trim() === text ? text : `'${text}'`;
}

function cut(value: ConfigurationDifference['stored']): string {
  const text = quoted(String(value));
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}... (${text.length} characters)`;
}
