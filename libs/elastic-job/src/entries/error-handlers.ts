// `nestjs-elastic-job/error-handlers`: channels for reports of failures. E-mail has an entry of its own.

export {
  type ChatErrorHandlerOptions,
  DeliveryError,
  DingtalkErrorHandler,
  type DingtalkErrorHandlerOptions,
  type DingtalkSettings,
  SlackErrorHandler,
  WebChannel,
  type WebHook,
  type WebhookBody,
  WebhookErrorHandler,
  type WebhookErrorHandlerOptions,
  type WebhookSettings,
  WechatErrorHandler,
} from '../executor/index.js';
export {
  type DeliveryTerms,
  describeError,
  describeReport,
  type FailureReport,
  type JobFailure,
} from '../domain/index.js';
