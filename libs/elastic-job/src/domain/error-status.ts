/** HTTP statuses by error code, for all that answers over HTTP. `OVERSIZED_NODE` has none: only an event has it. */
export const ERROR_STATUSES: ReadonlyMap<string, number> = new Map([
  ['UNKNOWN_JOB', 404],
  ['UNKNOWN_ITEM', 404],
  ['UNKNOWN_SERVER', 404],
  ['UNKNOWN_CLOUD_APP', 404],
  ['UNKNOWN_CLOUD_JOB', 404],
  ['CONFIGURATION', 400],
  ['INVALID_ARGUMENT', 400],
  ['CRON_SYNTAX', 400],
  ['TIME_ZONE', 400],
  ['CONFIGURATION_NODE', 409],
  ['ELASTIC_JOB_2_CONFIGURATION', 409],
  ['CONTENTION', 409],
  ['TEMPLATE_LIMIT', 409],
  ['JOB_EXISTS', 409],
  ['CLOUD_APP_EXISTS', 409],
  ['CLOUD_APP_DISABLED', 409],
  ['CLOUD_JOB_EXISTS', 409],
  ['CLOUD_JOB_DISABLED', 409],
  ['CLOUD_TRIGGER', 409],
  ['UNUSABLE_CLOUD_NODE', 409],
  ['MISSING_RUN_HISTORY', 409],
  ['MISSING_HISTORY_TABLE', 409],
  ['CHANGED', 412],
  ['REPEATED_RECONCILE', 429],
  ['REQUEST_TOO_LARGE', 413],
  ['NO_AUTH', 403],
  ['UNTRUSTED_ACL', 403],
  ['REGISTRY_UNAVAILABLE', 503],
  ['SERVER_ERROR', 503],
  ['TASK_BACKEND', 503],
  ['SESSION_LOST', 503],
  ['SHUTTING_DOWN', 503],
  ['PARTLY_DONE', 503],
]);

/** The HTTP status of an error of this package; undefined for one that no caller can do anything about. */
export function statusOfError(code: string): number | undefined {
  return ERROR_STATUSES.get(code);
}
