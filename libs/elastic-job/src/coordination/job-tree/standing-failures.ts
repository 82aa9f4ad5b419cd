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

/** Work for one job that fails at the moment, and is repeated. */
export class StandingFailures {
  // Most jobs never have one, and a process has thousands of jobs.
  private standing: Map<object, StandingFailure> | undefined;

  /** The failure that has stood longest; undefined if there is none. */
  get oldest(): StandingFailure | undefined {
    return [...(this.standing?.values() ?? [])].toSorted((a, b) => a.since - b.since)[0];
  }

  /**
   * @param work stands for the work, until it has ended
   * @param name of the work, as a phrase
   * @param at now
   * @returns true for its first failure
   */
  note(work: object, name: string, error: unknown, at: number): boolean {
    this.standing ??= new Map();
    const known = this.standing.get(work);
    this.standing.set(work, { work: name, since: known?.since ?? at, error });
    return known === undefined;
  }

  /** The work is done, or given up. */
  end(work: object): void {
    this.standing?.delete(work);
  }
}
