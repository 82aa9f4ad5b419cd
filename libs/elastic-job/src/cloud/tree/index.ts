// ElasticJob-Cloud's tree: its paths, its texts, and the applications and jobs that are registered there.
export * from './cloud-app.js';
export * from './cloud-form.js';
export * from './cloud-job.js';
export * from './cloud-job-plan.js';
export * from './cloud-paths.js';
export * from './cloud-task-id.js';
export * from './own-settings.js';
