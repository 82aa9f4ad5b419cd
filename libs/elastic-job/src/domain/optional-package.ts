import { ElasticJobError } from './errors.js';

/** Something needs a package that this one does not bring along, and that is not installed. */
export class MissingPackageError extends ElasticJobError {
  readonly code = 'MISSING_PACKAGE';

  /** @param purpose what needs it, as the beginning of a sentence */
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
 * What to throw when the import of an optional package has failed. The `import` itself stands in a `try`, or a bundler
 * takes the package for one that must be there.
 * @returns a `MissingPackageError` if that package is not installed, else the error itself
 */
export function errorOfImport(error: unknown, packageName: string, purpose: string): unknown {
  return isMissing(packageName, error) ? new MissingPackageError(packageName, purpose, { cause: error }) : error;
}

/** A package that is there may miss one of its own: then the text has the name only within a path. */
function isMissing(packageName: string, error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error && CODES.includes(error.code))) return false;
  // Node's words, and those of Yarn's Plug'n'Play.
  return [`'${packageName}'`, `tried to access ${packageName} `].some((words) => error.message.includes(words));
}
