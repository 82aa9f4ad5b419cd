/** Problems: answers to what could not be done. */
import type { ConsoleRole } from './roles.js';

/** Codes of the console's problems: its own, and those of the library's errors that its routes meet. */
export const PROBLEM_CODES = [
  'AUDIT_AWAY',
  'CHANGED',
  'CONFIGURATION',
  'CONFIGURATION_NODE',
  'CONTENTION',
  'CRON_SYNTAX',
  'ELASTIC_JOB_2_CONFIGURATION',
  'FORBIDDEN',
  'HISTORY_AWAY',
  'HOST_NOT_ALLOWED',
  'INTERNAL',
  'INVALID_ARGUMENT',
  'JAVA_PEERS',
  'JOB_EXISTS',
  'METHOD_NOT_ALLOWED',
  'MISSING_HISTORY_TABLE',
  'MISSING_RUN_HISTORY',
  'NOT_LOST',
  'NOT_OURS',
  'NOT_RUNNING',
  'NO_AUTH',
  'NO_SUCH_FIRE_TIME',
  'ORIGIN_NOT_ALLOWED',
  'OUTCOME_UNKNOWN',
  'PARTLY_DONE',
  'PRECONDITION_REQUIRED',
  'READ_ONLY',
  'REGISTRY_UNAVAILABLE',
  'REQUEST_TOO_LARGE',
  'RESIDENT',
  'SERVER_ERROR',
  'SESSIONS_AWAY',
  'SESSION_LOST',
  'SHUTTING_DOWN',
  'TARGET_NOT_ALLOWED',
  'TASK_BACKEND',
  'TEMPLATE_LIMIT',
  'TIMEOUT',
  'TIME_ZONE',
  'TOO_MANY_REQUESTS',
  'TOO_MANY_RERUNS',
  'UNAUTHENTICATED',
  'UNKNOWN_ITEM',
  'UNKNOWN_JOB',
  'UNKNOWN_RERUN',
  'UNKNOWN_ROUTE',
  'UNKNOWN_RUN',
  'UNKNOWN_SERVER',
  'UNMONITORED',
  'UNSUPPORTED_MEDIA_TYPE',
  'UNTRUSTED_ACL',
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** RFC 9457. */
export interface ProblemAnswer {
  /** `urn:elastic-job:problem:` and the code in lower case. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly requestId: string;
  /** All fields at once: what is wrong, and what would be right. */
  readonly fields?: readonly { readonly field: string; readonly problem: string }[];
  /** The role that may. */
  readonly role?: ConsoleRole;
  /** The present version. */
  readonly current?: number;
  /** URL that shows what has become of the request. */
  readonly look?: string;
  readonly instances?: readonly string[];
  readonly items?: readonly number[];
  /** The fire times before and after the one that the schedule lacks; null: there is none. */
  readonly before?: string | null;
  readonly after?: string | null;
  /** The option that would allow it. */
  readonly option?: string;
}
