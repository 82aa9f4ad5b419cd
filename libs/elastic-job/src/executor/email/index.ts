/** `EMAIL`, the error handler that sends mails. It needs `nodemailer`. */
export { EmailErrorHandler, type EmailErrorHandlerOptions } from './email.error-handler.js';
