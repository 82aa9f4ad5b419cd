import type { ConfigurationDifference } from '../../coordination/index.js';
import { describeDifferences, describeFields } from './described-differences.js';

/** Change of the differences since an event has told them. */
interface ChangedDifferences {
  /** Those that are new, or have come back. */
  readonly differences: readonly string[];
  /** Fields that were told and differ no more. */
  readonly agreed: readonly string[];
  /** Number of all that there are now. */
  readonly total: number;
  /** Number of changes that have led here. */
  readonly count: number;
  /** True if there are some, and the registry may set none of them. */
  readonly isRefused: boolean;
}

/** Differences between the registry and a job's local options, and those of them that events have told. */
export class ToldDifferences {
  private present: readonly ConfigurationDifference[] = [];
  private described: readonly string[] = [];
  /** Texts that an event has named and that have been true since. */
  private told: readonly string[] = [];
  private toldFields: readonly string[] = [];
  private changes = 0;

  /** One text for each of the first differences; long texts and lists are cut. */
  get texts(): readonly string[] {
    return this.described;
  }

  /** @returns true if they are others than before */
  note(present: readonly ConfigurationDifference[]): boolean {
    const former = this.described;
    this.present = present;
    this.described = describeDifferences(present);
    this.told = this.told.filter((text) => this.described.includes(text));
    const isSame = former.length === this.described.length && former.every((text) => this.described.includes(text));
    if (!isSame) this.changes += 1;
    return !isSame;
  }

  /** The change to tell now; from now on it counts as told. */
  take(): ChangedDifferences {
    const fields = new Set(this.present.map(({ field }) => field));
    const change = {
      differences: this.described.filter((text) => !this.told.includes(text)),
      agreed: describeFields(this.toldFields.filter((field) => !fields.has(field))),
      total: fields.size,
      count: this.changes,
      isRefused: this.present.length > 0 && this.present.every(({ isRefused }) => isRefused === true),
    };
    this.told = this.described;
    this.toldFields = [...fields];
    this.changes = 0;
    return change;
  }
}
