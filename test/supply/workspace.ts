import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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
  findUnpinnedActions,
  type Installed,
  type InstalledPackage,
} from './rules.js';

/** The texts that `findInWorkspace` checks, so that a test can replace the files. */
export interface SupplyTexts {
  readonly lockFile: string;
  readonly npmrc: string;
  /** By path. */
  readonly workflows: ReadonlyMap<string, string>;
}

export function readSupplyTexts(root: string): SupplyTexts {
  const npmrc = join(root, '.npmrc');
  return {
    lockFile: readFileSync(join(root, 'package-lock.json'), 'utf8'),
    npmrc: existsSync(npmrc) ? readFileSync(npmrc, 'utf8') : '',
    workflows: readWorkflows(root),
  };
}

/** The findings in a workspace's dependencies. @param root the folder with `node_modules` */
export function findInWorkspace(root: string, texts = readSupplyTexts(root)): Finding[] {
  const { lockFile, npmrc, workflows } = texts;
  const packages = readLockFile(lockFile);
  const installed = readInstalled(root, packages);
  return [
    ...findMissingIntegrity(packages),
    ...findForeignSources(packages),
    ...findForeignRegistries(npmrc),
    ...findUnpinnedActions(workflows),
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

function readWorkflows(root: string): ReadonlyMap<string, string> {
  const folder = join('.github', 'workflows');
  const names = existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : [];
  return new Map(names.map((name) => [join(folder, name), readFileSync(join(root, folder, name), 'utf8')]));
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
