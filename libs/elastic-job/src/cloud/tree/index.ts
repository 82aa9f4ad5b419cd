// ElasticJob-Cloud's tree: its paths, its texts, the registered applications and jobs, and the remains of its own
// schedulers.
export * from './cloud-apps.js';
export * from './cloud-configurations.js';
export * from './cloud-form.js';
export type * from './cloud-job-feed.js';
export * from './cloud-job-plan.js';
export * from './cloud-jobs.js';
export type { StoredCloudNode } from './cloud-nodes.js';
export * from './cloud-paths.js';
export * from './cloud-tree.errors.js';
export * from './derived-config.js';
export * from './own-settings.js';
export * from './takeover.decision.js';
export * from './takeover.js';
