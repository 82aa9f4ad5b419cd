import { SparseMap } from '../../domain/index.js';

/** A request of a job that the registry answers but refuses. */
export interface StandingRefusal {
  /** Time of the first refusal, in milliseconds since the epoch. */
  readonly since: number;
  /** The latest answer. */
  readonly error: unknown;
}

/** Work that is repeated until the registry accepts it. */
interface RefusedWork {
  /** @param at now @returns true for the first refusal */
  note(error: unknown, at: number): boolean;
  /** The work is done, or given up. */
  end(): void;
}

/** Work for one job that the registry refuses at the moment. */
export class Refusals {
  private readonly standing = new SparseMap<RefusedWork, StandingRefusal>();

  /** The refusal that has stood longest; undefined if there is none. */
  get oldest(): StandingRefusal | undefined {
    return [...this.standing.values()].toSorted((a, b) => a.since - b.since)[0];
  }

  watch(): RefusedWork {
    const work: RefusedWork = {
      note: (error, at) => {
        const known = this.standing.get(work);
        this.standing.set(work, { since: known?.since ?? at, error });
        return known === undefined;
      },
      end: () => void this.standing.delete(work),
    };
    return work;
  }
}
