export * from './chat.error-handlers.js';
export * from './error-handling.errors.js';
export { DEFAULT_ERROR_WINDOW_MS, JobErrorHandlers } from './job-error-handlers.js';
export { WebChannel, type WebHook } from './web-channel.js';
export * from './webhook.error-handler.js';
