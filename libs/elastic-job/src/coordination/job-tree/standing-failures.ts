import { SparseMap } from '../../domain/index.js';

/** A request of a job that the registry answers but refuses. */
export interface StandingRefusal {
  /** Time of the first refusal, in milliseconds since the epoch. */
  readonly since: number;
  /** The latest answer. */
  readonly error: unknown;
}

/** Work of an instance for a job that fails each time it is tried. */
export interface StandingFailure {
  /** The work, as a phrase: `leading the job`. */
  readonly work: string;
  /** Time of the first failure, in milliseconds since the epoch. */
  readonly since: number;
  /** The latest error. */
  readonly error: unknown;
}

/** Work that is repeated until it succeeds. */
export interface RepeatedWork {
  /** @param at now @returns true for the first failure */
  note(error: unknown, at: number): boolean;
  /** The work is done, or given up. */
  end(): void;
}

/** Work for one job that fails at the moment, and is repeated. */
export class StandingFailures {
  private readonly standing = new SparseMap<RepeatedWork, StandingFailure>();

  /** The failure that has stood longest; undefined if there is none. */
  get oldest(): StandingFailure | undefined {
    return [...this.standing.values()].toSorted((a, b) => a.since - b.since)[0];
  }

  /** @param name of the work, as a phrase */
  watch(name: string): RepeatedWork {
    const work: RepeatedWork = {
      note: (error, at) => {
        const known = this.standing.get(work);
        this.standing.set(work, { work: name, since: known?.since ?? at, error });
        return known === undefined;
      },
      end: () => void this.standing.delete(work),
    };
    return work;
  }
}
