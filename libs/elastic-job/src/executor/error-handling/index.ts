export * from './error-handling.errors.js';
export { DEFAULT_ERROR_WINDOW_MS, JobErrorHandlers } from './job-error-handlers.js';
export type { WebhookBody } from './webhook.error-handler.js';
