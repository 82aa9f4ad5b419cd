/** Injects the `RegistryCenter` of this application: the port to the registry, below the configured namespace. */
export const REGISTRY_CENTER = Symbol.for('nestjs-elastic-job:registry-center');

/** Injects the `Clock` of this application. Override it to control time in a test. */
export const CLOCK = Symbol.for('nestjs-elastic-job:clock');

/** True in the application of a task; not provided in any other. */
export const ELASTIC_JOB_TASK = Symbol.for('nestjs-elastic-job:task');

/** The scheduler of tasks; undefined in a task, and without `ElasticJobCloudModule`. */
export const TASK_SCHEDULER = Symbol.for('nestjs-elastic-job:task-scheduler');

/** The validated module options. */
export const ELASTIC_JOB_OPTIONS = Symbol.for('nestjs-elastic-job:options');

/** The registry of ElasticJob-Cloud's tree; undefined unless `ElasticJobCloudModule` has `tree`. */
export const CLOUD_REGISTRY = Symbol.for('nestjs-elastic-job:cloud-registry');
