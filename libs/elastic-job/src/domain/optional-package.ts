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
 * Loads a module that imports an optional package.
 * @throws {MissingPackageError} if that package is not installed; any other error of the module passes
 */
export async function importOptional<Module>(
  packageName: string,
  purpose: string,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(packageName, error)) throw error;
    throw new MissingPackageError(packageName, purpose, { cause: error });
  }
}

/** A package that is there may miss one of its own: then the text has the name only within a path. */
function isMissing(packageName: string, error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error && CODES.includes(error.code))) return false;
  // Node's words, and those of Yarn's Plug'n'Play.
  return [`'${packageName}'`, `tried to access ${packageName} `].some((words) => error.message.includes(words));
}
