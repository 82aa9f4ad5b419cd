import { SparseMap } from '../../domain/index.js';

/** The registry answers, and does not do what a job has asked it for. */
export interface StandingRefusal {
  /** In milliseconds since the epoch. */
  readonly since: number;
  /** The latest answer. */
  readonly error: unknown;
}

/** One piece of work that is repeated until the registry does it. */
interface RefusedWork {
  /** @param at now @returns true for the first refusal */
  note(error: unknown, at: number): boolean;
  /** It is done, or given up. */
  end(): void;
}

/** What the registry refuses to do for one job at the moment. */
export class Refusals {
  private readonly standing = new SparseMap<RefusedWork, StandingRefusal>();

  /** The one that has stood for the longest; undefined: none. */
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
