import { codeOf, messageOf } from './thrown.js';

/** Key that marks the errors of every copy of this package in the process. */
const IS_OURS = Symbol.for('nestjs-elastic-job:error');

const OWN_FIELD = { configurable: true, enumerable: true, writable: true };

/**
 * The base of every error that this package throws on purpose.
 *
 * `code` is stable and meant for machines; `message` says what happened, to which job, and what to try.
 */
export abstract class ElasticJobError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    // An assignment fails where somebody has frozen `Error.prototype`.
    Object.defineProperty(this, 'name', { ...OWN_FIELD, value: new.target.name });
  }

  static {
    Object.defineProperty(this.prototype, IS_OURS, { value: true });
  }

  /**
   * True also for an error of the package's other copy (ES modules or CommonJS).
   * @internal
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    try {
      if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
      const isOurs = value instanceof Error && IS_OURS in value;
      return isOurs && (this === ElasticJobError || value.name === this.name);
    } catch {
      return false; // A revoked proxy, which a user's function may throw.
    }
  }
}

/**
 * A setting that cannot work. Thrown at start, before anything is written to the registry.
 * @remarks Correct each field that the message names; it says what each must be. Then start the process again.
 */
export class ConfigurationError extends ElasticJobError {
  readonly code = 'CONFIGURATION';

  /**
   * @param place the owner of the setting, such as `job "settle-orders" (OrderJobs.settle)` or `module options`
   * @param problems one line per wrong field: the field, the value that was given and what would be right
   */
  constructor(
    readonly place: string,
    readonly problems: readonly string[],
    options?: ErrorOptions,
  ) {
    super(`${place}: ${problems.join('; ')}`, options);
  }
}

/**
 * The job name is unknown: in this process or, for an operator's request, in the registry's namespace.
 * @remarks Register the job with `@ElasticJob` or `JobRegistrar`, or compare the name with those of `JobStatisticsApi`.
 */
export class UnknownJobError extends ElasticJobError {
  readonly code = 'UNKNOWN_JOB';

  constructor(
    readonly jobName: string,
    /** Where the job was looked up. */
    readonly place: 'process' | 'registry' = 'process',
    /** True if the job is still here until its last handler returns, but takes no requests any more. */
    readonly isLeaving = false,
    /** The known name that is nearest, if one is alike. */
    readonly nearest?: string,
  ) {
    super(describeUnknownJob(jobName, place, isLeaving, nearest));
  }
}

/**
 * The process is shutting down, so the requested work does not begin here.
 * @remarks Ask another instance, or start the process again.
 */
export class ShuttingDownError extends ElasticJobError {
  readonly code = 'SHUTTING_DOWN';

  constructor(options?: ErrorOptions) {
    super('The process is shutting down; ask another instance, or start the process again.', options);
  }
}

/**
 * This process leaves the job, or has left it; the work that was under way for it is given up.
 * @remarks Nothing has to be done: the job was removed here, or the process stops. Ask another instance.
 */
export class LeftJobError extends ElasticJobError {
  readonly code = 'LEFT_JOB';

  constructor(readonly jobName: string) {
    super(`Job "${jobName}": this instance leaves, since the job was removed or the process stops.`);
  }
}

const KNOWN_FROM = 'those of decorators are known from onApplicationBootstrap on';

function describeUnknownJob(
  jobName: string,
  place: 'process' | 'registry',
  isLeaving: boolean,
  nearest: string | undefined,
): string {
  if (isLeaving) return `Job "${jobName}" is being removed from this process; add it again once it has left.`;
  const meant = nearest === undefined ? undefined : `did you mean "${nearest}"?`;
  if (place === 'process') {
    const remedy = meant ?? `register it with @ElasticJob or JobRegistrar first; ${KNOWN_FROM}.`;
    return `No job "${jobName}" is registered in this process; ${remedy}`;
  }
  const remedy = meant ?? 'compare the name with those of JobStatisticsApi.';
  return `The registry has no job "${jobName}" in this namespace; ${remedy}`;
}

/**
 * An optional package is needed and not installed.
 * @remarks Install the package that the message names.
 */
export class MissingPackageError extends ElasticJobError {
  readonly code = 'MISSING_PACKAGE';

  /** @param purpose the feature that needs it, as the beginning of a sentence */
  constructor(
    readonly packageName: string,
    purpose: string,
    options?: ErrorOptions,
  ) {
    super(
      `${purpose} needs the package "${packageName}", which is not installed; run "npm install ${packageName}".`,
      options,
    );
  }
}

const CODES: readonly unknown[] = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'];

/**
 * Returns the error to throw when the import of an optional package has failed. The `import` itself must stand in a
 * `try`, or a bundler takes the package for a required one.
 * @returns a `MissingPackageError` if that package is not installed, else the error itself
 */
export function errorOfImport(error: unknown, packageName: string, purpose: string): unknown {
  return isMissing(packageName, error) ? new MissingPackageError(packageName, purpose, { cause: error }) : error;
}

/** An installed package may lack one of its own: then the message has the name only within a path. */
function isMissing(packageName: string, error: unknown): boolean {
  // Message of Node, and of Yarn's Plug'n'Play.
  const words = [`'${packageName}'`, `tried to access ${packageName} `];
  return CODES.includes(codeOf(error)) && words.some((some) => messageOf(error).includes(some));
}
