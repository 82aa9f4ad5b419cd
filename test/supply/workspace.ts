import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type LockedPackage, readLockFile } from './lock-file.js';
import { ADVISORIES, INSTALL_SCRIPTS, LICENCES, LICENCES_IN_FILES, LICENCES_OF_TOOLS } from './policy.js';
import {
  type Finding,
  findDeprecations,
  findForeignRegistries,
  findForeignSources,
  findInstallScripts,
  findKnownBad,
  findLicenceFaults,
  findMissingIntegrity,
  type Installed,
  type InstalledPackage,
} from './rules.js';

/** The texts that `findInWorkspace` checks, so that a test can replace the files. */
export interface SupplyTexts {
  readonly lockFile: string;
  readonly npmrc: string;
}

export function readSupplyTexts(root: string): SupplyTexts {
  const npmrc = join(root, '.npmrc');
  return {
    lockFile: readFileSync(join(root, 'package-lock.json'), 'utf8'),
    npmrc: existsSync(npmrc) ? readFileSync(npmrc, 'utf8') : '',
  };
}

/** The findings in a workspace's dependencies. @param root the folder with `node_modules` */
export function findInWorkspace(root: string, { lockFile, npmrc }: SupplyTexts = readSupplyTexts(root)): Finding[] {
  const packages = readLockFile(lockFile);
  const installed = readInstalled(root, packages);
  return [
    ...findMissingIntegrity(packages),
    ...findForeignSources(packages),
    ...findForeignRegistries(npmrc),
    ...findLicenceFaults(packages, installed, LICENCES, LICENCES_OF_TOOLS, LICENCES_IN_FILES),
    ...findDeprecations(packages),
    ...findInstallScripts(packages, installed, INSTALL_SCRIPTS),
    ...findKnownBad(packages, ADVISORIES),
  ];
}

/** The paths of the files that `npm publish` would send, as npm itself lists them. */
export async function listTarball(folder: string): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json'], {
    cwd: folder,
    maxBuffer: 64 * 1024 * 1024,
  });
  const [tarball]: readonly { readonly files: readonly { readonly path: string }[] }[] = JSON.parse(stdout);
  return (tarball?.files ?? []).map(({ path }) => path).toSorted();
}

function readInstalled(root: string, packages: readonly LockedPackage[]): Installed {
  const installed = new Map<string, InstalledPackage>();
  for (const { place } of packages) {
    const manifest = join(root, place, 'package.json');
    if (!existsSync(manifest)) continue;
    const fields: InstalledPackage = JSON.parse(readFileSync(manifest, 'utf8'));
    installed.set(place, { ...fields, hasBindings: existsSync(join(root, place, 'binding.gyp')) });
  }
  return installed;
}
