import type { ProblemAnswer } from '../../../src/console/contract/problem-answers.js';

/** Codes of the page's own, beside those of the API. */
export type OwnCode = 'UNREACHABLE' | 'NO_PAGE_ANSWER';

/**
 * A request that was not followed: as the API tells it, or since no answer came. `status` 0 stands for the latter: of a
 * change nobody knows then if it was made.
 */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';

  /** @param retryAfter seconds after which it may be tried again */
  constructor(
    readonly answer: Omit<ProblemAnswer, 'type' | 'title'>,
    readonly retryAfter?: number,
  ) {
    super(answer.detail);
  }

  get code(): string {
    return this.answer.code;
  }

  get status(): number {
    return this.answer.status;
  }
}

/**
 * True if a change may have been made: its answer is lost, or another one than that of the API has come. What stands
 * between says by 502 and 504 that it has none, and others of its answers do not tell either, unless they refuse.
 */
export function isOutcomeUnknown({ code, status }: ApiProblem): boolean {
  const isRefused = status >= 400 && status < 500;
  return code === 'OUTCOME_UNKNOWN' || status === 0 || (code === 'NO_PAGE_ANSWER' && !isRefused);
}

export function ownProblem(code: OwnCode, detail: string, status = 0): ApiProblem {
  return new ApiProblem({ status, code, detail, requestId: '' });
}

export async function problemOf(response: Response): Promise<ApiProblem> {
  const retryAfter = Number(response.headers.get('retry-after') ?? NaN);
  const answer: unknown = await response.json().catch(() => undefined);
  if (isProblem(answer)) return new ApiProblem(answer, Number.isNaN(retryAfter) ? undefined : retryAfter);
  return ownProblem('NO_PAGE_ANSWER', `HTTP ${response.status} ${response.statusText}`, response.status);
}

function isProblem(answer: unknown): answer is ProblemAnswer {
  return typeof Reflect.get(Object(answer), 'code') === 'string';
}
