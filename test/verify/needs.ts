import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Need, Suite } from '../suites.js';

/** Where a part is found, and Debian's packages that bring it. A part without packages is never missing. */
interface Part {
  readonly isThere: () => boolean;
  readonly packages: readonly string[];
}

/** Asked by Debian's packages if they may start their services. */
const SERVICE_POLICY = '/usr/sbin/policy-rc.d';
const POSTGRES = '/usr/lib/postgresql';
const always = { isThere: () => true, packages: [] };

const PARTS: Readonly<Record<Need, Part>> = {
  zookeeper: {
    isThere: () => existsSync('/usr/share/java/zookeeper.jar') && hasCommand('java'),
    packages: ['zookeeper', 'default-jre-headless'],
  },
  java: { isThere: () => hasCommand('javac') && hasCommand('mvn'), packages: ['default-jdk-headless', 'maven'] },
  postgresql: {
    isThere: () => existsSync(POSTGRES) && readdirSync(POSTGRES).some((version) => hasPostgres(version)),
    packages: ['postgresql'],
  },
  mariadb: { isThere: () => existsSync('/usr/sbin/mariadbd'), packages: ['mariadb-server'] },
  chromium: { isThere: () => hasCommand('chromium'), packages: ['chromium'] },
  faketime: { isThere: () => hasCommand('faketime'), packages: ['faketime'] },
  spin: { isThere: () => hasCommand('spin') && hasCommand('gcc'), packages: ['spin', 'gcc', 'libc6-dev'] },
  prometheus: { isThere: () => hasCommand('prometheus') && hasCommand('promtool'), packages: ['prometheus'] },
  npm: always,
  history: always,
  build: always,
};

/**
 * Installs the system packages that suites need and this machine lacks. Others are not touched.
 * @throws if a part is missing afterwards; the message names the packages to install by hand
 */
export function installNeeds(suites: readonly Suite[]): void {
  const needs = new Set(suites.flatMap((suite) => suite.needs ?? []));
  const missing = [...needs].filter((need) => !PARTS[need].isThere());
  if (missing.length === 0) return;
  const packages = missing.flatMap((need) => PARTS[need].packages);
  console.log(`\n== system packages: ${packages.join(' ')}`);
  if (process.getuid?.() === 0 && hasCommand('apt-get')) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    withoutServices(() => {
      for (const step of [['update'], ['install', '-y', '--no-install-recommends', ...packages]])
        spawnSync('apt-get', ['-qq', ...step], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    });
  }
  const lacking = missing.filter((need) => !PARTS[need].isThere());
  if (lacking.length === 0) return;
  throw new Error(
    `This machine lacks ${lacking.join(', ')}. On Debian: apt-get install ` +
      lacking.flatMap((need) => PARTS[need].packages).join(' '),
  );
}

/** Suites start servers of their own, so a service that a package brings must not run. */
function withoutServices(install: () => void): void {
  if (existsSync(SERVICE_POLICY)) return install();
  writeFileSync(SERVICE_POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    install();
  } finally {
    rmSync(SERVICE_POLICY);
  }
}

function hasCommand(name: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => isExecutable(join(folder, name)));
}

function hasPostgres(version: string): boolean {
  return isExecutable(join(POSTGRES, version, 'bin/postgres'));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
