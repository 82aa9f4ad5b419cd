import { TASK_VARIABLE } from '../../cloud/index.js';

/**
 * True in the process of a task, whose `main.ts` calls `runTask`. Modules that no job needs, such as those of a web
 * server or a queue, can be left out then.
 *
 * ```ts
 * if (isElasticJobTask()) await runTask(AppModule);
 * else await bootstrap();
 * ```
 */
export function isElasticJobTask(): boolean {
  return process.env[TASK_VARIABLE] !== undefined;
}
