/** `EMAIL`, the error handler that sends mails. It needs `nodemailer`. */
export * from './email.error-handler.js';
