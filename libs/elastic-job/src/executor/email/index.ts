/** `EMAIL`, the error handler that sends mails. It needs `nodemailer`. */
export type { EmailErrorHandlerOptions } from './email-options.js';
export { EmailErrorHandler } from './email.error-handler.js';
