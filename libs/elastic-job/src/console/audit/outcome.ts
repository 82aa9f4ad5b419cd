import { PartlyDoneError } from '../../coordination/index.js';
import { ConsoleProblem } from '../contract/index.js';
import type { AuditEnd } from './audit-store.js';

/** The status by which an error of this package is answered; undefined for any other error. */
export type StatusOf = (error: unknown) => number | undefined;

/**
 * The end of a change that an error tells: `refused` is one that was not made, and that may be tried otherwise;
 * `unknown` one whose reply may have been lost; `failed` is any other. One that is made in part is `failed`, and has
 * that part as `after`. A session that is lost before a write is sent is
 * SESSION_LOST, so that is `failed`; one that is lost while a write waits for its reply is a REGISTRY_UNAVAILABLE of
 * unknown fate.
 */
export function outcomeOf(error: unknown, statusOf: StatusOf): AuditEnd {
  const { code, fate }: { readonly code?: unknown; readonly fate?: unknown } = Object(error);
  const status = error instanceof ConsoleProblem ? error.status : statusOf(error);
  const mayBeDone = fate === 'unknown' || status === 504;
  const isRefusal = status !== undefined && status >= 400 && status < 500;
  const outcome = mayBeDone ? 'unknown' : isRefusal ? 'refused' : 'failed';
  const done = error instanceof PartlyDoneError && error.done !== undefined && { after: error.done };
  return { outcome, code: typeof code === 'string' ? code : null, ...done };
}
