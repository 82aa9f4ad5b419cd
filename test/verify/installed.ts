import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Package {
  readonly version?: string;
  readonly link?: boolean;
}

/** Packages that are installed in another version than the lock file has, whose verdicts would be of other code. */
export function strangePackages(root: string): readonly string[] {
  const [wanted, installed] = ['package-lock.json', 'node_modules/.package-lock.json'].map((file) =>
    packagesOf(join(root, file)),
  );
  return Object.entries(installed!)
    .filter(([path, { version, link }]) => !link && wanted![path]?.version !== version)
    .map(([path, { version }]) => `${path} ${version}`);
}

function packagesOf(file: string): Readonly<Record<string, Package>> {
  if (!existsSync(file)) return {};
  const { packages }: { readonly packages: Readonly<Record<string, Package>> } = JSON.parse(readFileSync(file, 'utf8'));
  return packages;
}
