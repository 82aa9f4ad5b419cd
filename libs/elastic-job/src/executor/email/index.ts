/** `EMAIL`, the error handler that sends mails. It needs `nodemailer`. */
export { type EmailErrorHandlerOptions, EmailErrorHandler } from './email.error-handler.js';
