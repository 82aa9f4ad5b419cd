/** A package in the lock file, by its place below the workspace, such as `node_modules/a/node_modules/b`. */
export interface LockedPackage {
  readonly place: string;
  /** The name of the package in the registry. */
  readonly name: string;
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly license?: string;
  readonly dev?: boolean;
  readonly deprecated?: string;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const FOLDER = 'node_modules/';
const VERSION = 3;

/** @throws {TypeError} if the text is no lock file of the version that npm 7 and later write */
export function readLockFile(text: string): readonly LockedPackage[] {
  const lock: { readonly lockfileVersion?: number; readonly packages?: Readonly<Record<string, object>> } =
    JSON.parse(text);
  if (lock.lockfileVersion !== VERSION || lock.packages === undefined)
    throw new TypeError(`The lock file has version ${lock.lockfileVersion}, and must have version ${VERSION}.`);
  return Object.entries(lock.packages).map(([place, fields]) => ({ name: nameOf(place), ...fields, place }));
}

/** True for the workspace's root and its own packages, which no registry has. */
export function isOwn({ place }: LockedPackage): boolean {
  return !place.includes(FOLDER);
}

function nameOf(place: string): string {
  return place.slice(place.lastIndexOf(FOLDER) + FOLDER.length);
}
