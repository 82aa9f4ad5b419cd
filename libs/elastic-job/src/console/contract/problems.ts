import type { ProblemAnswer, ProblemCode } from './problem-answers.js';

type Facts = Omit<Partial<ProblemAnswer>, 'type' | 'title' | 'status' | 'code' | 'detail' | 'requestId'>;

/** A refusal of the console's own. Errors of the library have their statuses in a table. */
export class ConsoleProblem extends Error {
  override readonly name = 'ConsoleProblem';

  /** @param headers of the answer, such as `retry-after` */
  constructor(
    readonly status: number,
    readonly code: ProblemCode,
    detail: string,
    readonly facts: Facts = {},
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail);
  }
}

/** The refusal of a job that there is not, or not for the caller: nobody can tell the two apart. */
export function unknownJobProblem(job: string): ConsoleProblem {
  return new ConsoleProblem(404, 'UNKNOWN_JOB', `There is no job "${job}".`);
}
