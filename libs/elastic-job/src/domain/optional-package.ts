import { ElasticJobError } from './errors.js';

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
  if (!(error instanceof Error && 'code' in error && CODES.includes(error.code))) return false;
  // Message of Node, and of Yarn's Plug'n'Play.
  return [`'${packageName}'`, `tried to access ${packageName} `].some((words) => error.message.includes(words));
}
