export * from './absences.js';
export * from './instances.js';
export * from './membership.errors.js';
export * from './servers.js';
export { ServerRetention } from './server-retention.js';
