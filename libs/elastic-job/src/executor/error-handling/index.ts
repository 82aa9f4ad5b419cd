// Failures of handlers on their way to the channels that jobs name, and the channels over HTTP.
export { DeliveryError } from './deliveries.js';
export { DEFAULT_ERROR_WINDOW_MS, JobErrorHandlers } from './job-error-handlers.js';
export { WebChannel, type WebHook } from './web-channel.js';
export * from './web.error-handlers.js';
