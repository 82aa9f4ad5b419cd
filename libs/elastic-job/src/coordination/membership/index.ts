export * from './absences.js';
export * from './instance.service.js';
export * from './membership.errors.js';
export * from './server.service.js';
export { ServerRetention } from './server-retention.js';
