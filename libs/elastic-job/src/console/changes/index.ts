// Changes that somebody makes through the console: each is written down before it is done, and hides what is secret.
export type * from './bodies.js';
export { ConfigChanges, fireTimesOf, tagOf } from './config-changes.js';
export { hideIn } from './hiding.js';
export { ItemChanges } from './item-changes.js';
export { JobChanges } from './job-changes.js';
export type { AuditTrail, Configurations, FindJob, ItemCommands, JobCommands } from './ports.js';
export { ServerChanges } from './server-changes.js';
export type { ConsoleTargets } from './targets.js';
