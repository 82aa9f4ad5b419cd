/** Rules for the lock file and for the installed packages. Each rule is a pure function. */
import { isOwn, type LockedPackage } from './lock-file.js';
import { type Advisory, REGISTRY } from './policy.js';
import { admits, isWithin } from './version-ranges.js';

/** One line of the report. */
export interface Finding {
  readonly rule: string;
  readonly subject: string;
  readonly problem: string;
}

/** An installed package's own manifest and folder. */
export interface InstalledPackage {
  readonly license?: unknown;
  /** The licences in old manifests. */
  readonly licenses?: unknown;
  readonly scripts?: Readonly<Record<string, string>>;
  /** True if npm would run `node-gyp rebuild`, without any script in the manifest. */
  readonly hasBindings?: boolean;
}

/** Packages by place. Those for another platform are not installed. */
export type Installed = ReadonlyMap<string, InstalledPackage>;

const SHA512 = /^sha512-[\w+/]{86}==$/;
/** Versions, ranges of versions and tags, without an address or a path. */
const REGISTRY_RANGE = /^[\w.^~<>=|*+ -]+$/;
/** An action at a commit, or an image at a digest, with the version. */
const PINNED = /^(?:[\w.-]+(?:\/[\w.-]+)+@[0-9a-f]{40}|docker:\/\/\S+@sha256:[0-9a-f]{64}) # v?\d+(?:\.\d+)*$/;
const EXPRESSION = /^[\w.+-]+(?: (?:OR|AND) [\w.+-]+)*$/;
const SCRIPTS = ['preinstall', 'install', 'postinstall'];

/** Every package has a digest that is compared when it is installed. */
export function findMissingIntegrity(packages: readonly LockedPackage[]): Finding[] {
  return packages
    .filter((one) => !isOwn(one) && one.link !== true && !SHA512.test(one.integrity ?? ''))
    .map((one) => finding('integrity', one, `has the integrity ${one.integrity ?? 'of nothing'}, and needs a sha512`));
}

/**
 * Every package comes from npm's registry, by the address that the registry itself gives. Only a workspace is a link.
 */
export function findForeignSources(packages: readonly LockedPackage[]): Finding[] {
  const own = new Set(packages.filter(isOwn).map(({ place }) => place));
  return packages.flatMap((one) => {
    if (isOwn(one)) return foreignRanges(one);
    if (one.link === true && own.has(one.resolved ?? '')) return [];
    if (one.link !== true && (one.resolved === undefined || one.resolved === addressOf(one))) return [];
    return [finding('source', one, `comes from ${one.resolved}, and may come from ${REGISTRY} alone`)];
  });
}

/** Packages without an address in the lock file come from the registry that npm's settings name. */
export function findForeignRegistries(npmrc: string): Finding[] {
  const lines = npmrc.split(/\r?\n/).map((line) => line.trim());
  return lines.flatMap((line) => {
    const [, key, value] = /^((?:@[^:=]+:)?registry)\s*=\s*(.*)$/i.exec(line) ?? [];
    if (key === undefined || value === REGISTRY) return [];
    return [{ rule: 'source', subject: '.npmrc', problem: `${key} is ${value}, and may be ${REGISTRY} alone` }];
  });
}

/**
 * Workflows name an action of others by the commit, since its tags can be moved, and its version beside that.
 * @param workflows texts by their paths
 */
export function findUnpinnedActions(workflows: ReadonlyMap<string, string>): Finding[] {
  return [...workflows].flatMap(([subject, text]) =>
    [...text.matchAll(/^[\s-]*["']?uses["']?\s*:\s*(.*)$/gm)]
      .map(([, action = '']) => action)
      .filter((action) => !/^["']?\.\//.test(action) && !PINNED.test(action))
      .map((action) => ({
        rule: 'workflow',
        subject,
        problem: `uses ${action}, and needs owner/name@<commit> # v<version>`,
      })),
  );
}

/**
 * Every licence is known, and among those that are allowed.
 * @param ofTools licences that are allowed to packages for development alone
 * @param inFiles `name@version` to the licence that stands in a file of the package, if its manifest names none
 */
export function findLicenceFaults(
  packages: readonly LockedPackage[],
  installed: Installed,
  allowed: ReadonlySet<string>,
  ofTools: ReadonlySet<string>,
  inFiles: ReadonlyMap<string, string> = new Map(),
): Finding[] {
  return packages.flatMap((one) => {
    if (isOwn(one) || one.link === true) return [];
    const licence = licenceOf(one, installed.get(one.place)) ?? inFiles.get(`${one.name}@${one.version}`);
    if (licence === undefined) return [finding('licence', one, 'names no licence')];
    const isAllowed = (id: string) => allowed.has(id) || (one.dev === true && ofTools.has(id));
    return holds(licence, isAllowed) ? [] : [finding('licence', one, `has the licence ${licence}`)];
  });
}

export function findDeprecations(packages: readonly LockedPackage[]): Finding[] {
  return packages
    .filter(({ deprecated }) => deprecated !== undefined)
    .map((one) => finding('deprecated', one, one.deprecated ?? ''));
}

/** Scripts that npm would run at an installation. The lock file may not name them, but the installed package does. */
export function findInstallScripts(
  packages: readonly LockedPackage[],
  installed: Installed,
  allowed: ReadonlyMap<string, string>,
): Finding[] {
  return packages
    .filter((one) => !isOwn(one) && !allowed.has(one.name))
    .flatMap((one) => {
      const { scripts = {}, hasBindings } = installed.get(one.place) ?? {};
      const named = SCRIPTS.filter((script) => scripts[script] !== undefined);
      if (hasBindings === true) named.push('binding.gyp');
      if (named.length === 0 && one.hasInstallScript === true) named.push('hasInstallScript');
      return named.length === 0 ? [] : [finding('install script', one, `runs ${named.join(', ')}`)];
    });
}

/** No harmful version is installed, and no range of our own packages includes one. */
export function findKnownBad(packages: readonly LockedPackage[], advisories: readonly Advisory[]): Finding[] {
  return advisories.flatMap((advisory) =>
    packages.flatMap((one) => {
      if (isOwn(one)) return badRanges(one, advisory);
      const isBad = one.name === advisory.name && one.version !== undefined && isWithin(one.version, advisory);
      return isBad ? [finding('known bad', one, `has ${advisory.problem}: ${advisory.source}`)] : [];
    }),
  );
}

/** The published files are those of the list. @param listed as `foldFiles` writes it */
export function findTarballChanges(files: readonly string[], listed: readonly string[]): Finding[] {
  const folded = foldFiles(files);
  const [packed, known] = [new Set(folded), new Set(listed)];
  return [
    ...folded.filter((line) => !known.has(line)).map((line) => ofTarball(line, 'is packed, and not in the list')),
    ...listed.filter((line) => !packed.has(line)).map((line) => ofTarball(line, 'is in the list, and not packed')),
  ];
}

/** A file of the page has the digest of its content in its name. */
const DIGEST = /^(dist\/page\/assets\/.+)-[\w-]{8}(?=\.)/;

/**
 * Paths as lines that can be compared. The files of one module are one line, `dist/index.{d.ts,d.ts.map,js,js.map}`.
 * So are files whose names differ by their digests alone: `dist/page/assets/index-*.css`.
 */
export function foldFiles(files: readonly string[]): readonly string[] {
  const endings = new Map<string, string[]>();
  const names = new Set(files.map((file) => file.replace(DIGEST, '$1-*')));
  for (const file of [...names].toSorted()) {
    const [, stem = file, ending = ''] = /^(.*?)\.((?:d\.ts|js)(?:\.map)?)$/.exec(file) ?? [];
    endings.set(stem, [...(endings.get(stem) ?? []), ending]);
  }
  return [...endings].map(([stem, [first, ...others]]) => {
    if (others.length > 0) return `${stem}.{${[first, ...others].join(',')}}`;
    return first ? `${stem}.${first}` : stem;
  });
}

function ofTarball(subject: string, problem: string): Finding {
  return { rule: 'tarball', subject, problem };
}

function finding(rule: string, { place, name, version }: LockedPackage, problem: string): Finding {
  return { rule, subject: version === undefined ? place || name : `${place}@${version}`, problem };
}

/** @see npm's registry, `dist.tarball` */
function addressOf({ name, version }: LockedPackage): string {
  return `${REGISTRY}${name}/-/${name.slice(name.indexOf('/') + 1)}-${version}.tgz`;
}

function rangesOf(one: LockedPackage): readonly (readonly [string, string])[] {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = one;
  return [dependencies, devDependencies, optionalDependencies, peerDependencies].flatMap((each = {}) =>
    Object.entries(each),
  );
}

function foreignRanges(one: LockedPackage): Finding[] {
  return rangesOf(one)
    .filter(([, range]) => !REGISTRY_RANGE.test(range))
    .map(([name, range]) => finding('source', one, `takes ${name} from ${range}`));
}

function badRanges(one: LockedPackage, advisory: Advisory): Finding[] {
  return rangesOf(one)
    .filter(([name, range]) => name === advisory.name && admits(range, advisory))
    .map(([name, range]) =>
      finding('known bad', one, `lets in ${name} ${range}, which has ${advisory.problem}: ${advisory.source}`),
    );
}

function licenceOf(one: LockedPackage, installed: InstalledPackage | undefined): string | undefined {
  const { license = one.license, licenses } = installed ?? {};
  // `licenses` is the older word, which may be vaguer: "BSD" beside "BSD-3-Clause".
  const named = (Array.isArray(licenses) && textOf(license) === undefined ? licenses : [license]).map(textOf);
  const known = named.filter((text) => text !== undefined);
  return known.length === 0 ? undefined : known.join(' OR ');
}

function textOf(licence: unknown): string | undefined {
  if (typeof licence === 'string' && licence !== '') return licence;
  return typeof licence === 'object' && licence !== null && 'type' in licence ? textOf(licence.type) : undefined;
}

/** Reads `A`, `(A OR B)` and `A AND B`; any other expression is not allowed. */
function holds(expression: string, isAllowed: (id: string) => boolean): boolean {
  const bare = expression.replace(/^\((.*)\)$/, '$1');
  if (!EXPRESSION.test(bare)) return false;
  return bare.split(' OR ').some((part) => part.split(' AND ').every((id) => isAllowed(id)));
}
