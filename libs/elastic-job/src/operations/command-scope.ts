import { ConfigurationError, type JobName, OptionTable, parseCreatedJob, removedRoot, text } from '../domain/index.js';
import type { Operation } from '../registry/index.js';
import type { JobFacts } from './job-facts.js';

/** Scope of a command: one server, or all. */
export interface ServerScope {
  /** Only this server of the job; refused if it is there and undefined or null. @default all of them */
  readonly serverIp?: string;
}

const SCOPE = new OptionTable({ serverIp: { rule: text() } }, 'a scope');

/** The scope of a command for one job. @throws {ConfigurationError} for a wrong scope, which would be all servers */
export function scopeOf(command: string, jobName: JobName, scope: ServerScope): CommandScope {
  const place = `JobOperateApi.${command}`;
  const { serverIp } = SCOPE.checked(place, scope);
  if (serverIp === undefined && 'serverIp' in scope) {
    throw new ConfigurationError(place, ['serverIp is given, but has no value; leave it out for all servers']);
  }
  return { jobName, serverIp };
}

/** One job or all, one server or all. */
export interface CommandScope extends ServerScope {
  readonly jobName?: JobName;
}

export function isIn(scope: CommandScope, { serverIp }: { readonly serverIp: string }): boolean {
  return scope.serverIp === undefined || scope.serverIp === serverIp;
}

/** The data of its node decide on which server an instance is, as for Java. */
export function shutdownOperations(scope: CommandScope, { paths, instances }: JobFacts): Operation[] {
  return instances
    .filter((instance) => isIn(scope, instance))
    .map(({ jobInstanceId }) => deletion(paths.instance(jobInstanceId)));
}

/** Operations that remove a job from a template as a whole; undefined if the command is for less. */
export function removalOperations({ jobName, serverIp }: CommandScope, { root }: JobFacts): Operation[] | undefined {
  const created = parseCreatedJob(root?.data ?? '');
  if (jobName === undefined || serverIp !== undefined || root === undefined || created === undefined) return undefined;
  if (created.isBeingRemoved) return [];
  return [{ kind: 'set', path: root.path, data: removedRoot(created.template), version: root.stat.version }];
}

export function deletion(path: string): Operation {
  return { kind: 'delete', path };
}
