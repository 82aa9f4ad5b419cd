import { ElasticJobError, type JobName } from '../domain/index.js';

/**
 * An argument cannot be the name of a job or server, or the number of an item. No request was made.
 * @remarks Correct the argument that the message names. Nothing was asked of the registry.
 */
export class InvalidArgumentError extends ElasticJobError {
  readonly code = 'INVALID_ARGUMENT';

  /** @param fault the fault, as the end of a sentence that begins with the argument's name */
  constructor(
    readonly argument: string,
    readonly value: unknown,
    fault: string,
  ) {
    super(`${argument} ${fault}, but is ${JSON.stringify(value) ?? String(value)}.`);
  }
}

/**
 * No job within the scope of the command knows such a server. Nothing was written: a mistyped address would stay as a
 * server for ever.
 * @remarks Compare the address with those of `ServerStatisticsApi`.
 */
export class UnknownServerError extends ElasticJobError {
  readonly code = 'UNKNOWN_SERVER';

  /** @param jobName undefined if the command was for all jobs of the namespace */
  constructor(
    readonly serverIp: string,
    readonly jobName: JobName | undefined,
  ) {
    const place = jobName === undefined ? 'No job of this namespace' : `Job "${jobName}"`;
    const knows = jobName === undefined ? 'knows' : 'does not know';
    super(`${place} ${knows} a server "${serverIp}"; compare the address with those of ServerStatisticsApi.`);
  }
}

/**
 * The settings of the job have another version than the edit expects: somebody has changed them meanwhile. Nothing was
 * written.
 * @remarks Read the settings again, look at what has changed, and repeat the edit with their version.
 */
export class ConfigurationChangedError extends ElasticJobError {
  readonly code = 'CHANGED';

  constructor(
    readonly jobName: JobName,
    /** The version that the edit expects. */
    readonly expected: number,
    /** The version that the settings have. */
    readonly version: number,
  ) {
    super(
      `The settings of job "${jobName}" have version ${version}, and not ${expected}; read them again before the edit.`,
    );
  }
}

/**
 * The registry has a node of that name: a job, the remains of one, or something else. Nothing was written.
 * @remarks Choose another name, or remove the job first. If it is being removed, try again a moment later.
 */
export class JobExistsError extends ElasticJobError {
  readonly code = 'JOB_EXISTS';

  constructor(
    readonly jobName: JobName,
    /** True while it is being removed: the name will be free. */
    readonly isBeingRemoved: boolean,
  ) {
    super(
      isBeingRemoved
        ? `Job "${jobName}" is being removed; create it again once it is gone.`
        : `The registry has a job "${jobName}" already; take another name, or remove that one first.`,
    );
  }
}

/**
 * The job has no such item.
 * @remarks Choose one of the items that the message names; the first sharding creates them.
 */
export class UnknownItemError extends ElasticJobError {
  readonly code = 'UNKNOWN_ITEM';

  /** @param items its items, ascending */
  constructor(
    readonly jobName: JobName,
    readonly item: number,
    readonly items: readonly number[],
  ) {
    const has = items.length === 0 ? 'no items yet; they come with the first sharding' : `the items ${ranges(items)}`;
    super(`Job "${jobName}" has no item ${item}. It has ${has}.`);
  }
}

/** `0 to 3, 7`. */
function ranges(items: readonly number[]): string {
  const found: [number, number][] = [];
  for (const item of items) {
    const last = found.at(-1);
    if (last !== undefined && last[1] === item - 1) last[1] = item;
    else found.push([item, item]);
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`)).join(', ');
}
