// The version of a release: which one follows, and where it is written.
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gt, inc, type ReleaseType, valid } from 'semver';

const BREAKING = /^\w+(?:\([^)]*\))?!:|^BREAKING[ -]CHANGE:/m;
const FEATURE = /^feat(?:\([^)]*\))?:/;
const VISIBLE = /^(?:fix|perf|revert)(?:\([^)]*\))?:/;

/**
 * The version after a released one, by the Conventional Commits since.
 * @param messages of these commits
 * @returns undefined if no commit is one that users notice
 * @see Conventional Commits 1.0.0; before 1.0.0 a breaking change raises the minor version, as npm's `^` ranges expect
 */
export function nextVersion(released: string, messages: readonly string[]): string | undefined {
  const kind = kindOf(messages, released.startsWith('0.'));
  return kind && (inc(released, kind) ?? undefined);
}

/** Why a version cannot follow a released one, if so. */
export function findVersionFault(version: string, released: string | undefined): string | undefined {
  if (valid(version) !== version) return `"${version}" is no version, such as 1.2.3`;
  if (released === undefined || gt(version, released)) return undefined;
  return `${version} is not newer than ${released}, which is released`;
}

function kindOf(messages: readonly string[], isBeforeOne: boolean): ReleaseType | undefined {
  if (messages.some((message) => BREAKING.test(message))) return isBeforeOne ? 'minor' : 'major';
  if (messages.some((message) => FEATURE.test(message))) return 'minor';
  return messages.some((message) => VISIBLE.test(message)) ? 'patch' : undefined;
}

const MANIFEST = 'libs/elastic-job/package.json';
const RELEASE = 'libs/elastic-job/src/copies/shared.ts';

/** The version that the package has. */
export async function readVersion(root: string): Promise<string> {
  const { version }: { readonly version: string } = JSON.parse(await readFile(join(root, MANIFEST), 'utf8'));
  return version;
}

/**
 * Writes a version to every place that names it: the package, the lock file, the code, and the examples.
 * @throws if a place does not name the version before
 */
export async function writeVersion(root: string, before: string, version: string): Promise<void> {
  const old = before.replaceAll('.', String.raw`\.`);
  const inPackage = new RegExp(String.raw`("version": ")${old}(?=")`);
  const inLock = new RegExp(String.raw`("libs/elastic-job": \{\s*"name": "[^"]+",\s*"version": ")${old}(?=")`);
  await replace(root, MANIFEST, inPackage, version);
  await replace(root, 'package-lock.json', inLock, version);
  await replace(root, RELEASE, new RegExp(`(RELEASE = ')${old}(?=')`), version);
  for (const example of await examplesIn(root)) {
    await replace(root, example, new RegExp(String.raw`("nestjs-elastic-job": "\^)${old}(?=")`), version);
  }
}

async function examplesIn(root: string): Promise<readonly string[]> {
  const folders = await readdir(join(root, 'examples'));
  const manifests = folders.map((folder) => join('examples', folder, 'package.json'));
  return manifests.filter((manifest) => existsSync(join(root, manifest)));
}

async function replace(root: string, file: string, place: RegExp, version: string): Promise<void> {
  const text = await readFile(join(root, file), 'utf8');
  const replaced = text.replace(place, (_, before: string) => before + version);
  if (!place.test(text)) throw new Error(`${file} does not name the version: nothing matches ${place}.`);
  await writeFile(join(root, file), replaced);
}

/** The section of what is not released yet. Its heading may name the version that is planned. */
const UNRELEASED = /^## (?:\[?Unreleased\]?|\S+ - unreleased)[ \t]*\n(?<notes>[^]*?)(?=^## |(?![^]))/im;

/** A changelog with a new section, and what this says. */
interface DatedChangelog {
  readonly text: string;
  readonly notes: string;
}

/**
 * Makes the unreleased section that of a version.
 * @returns undefined if there is none, or nothing in it
 * @see Keep a Changelog 1.1.0
 */
export function dateChangelog(changelog: string, version: string, date: string): DatedChangelog | undefined {
  const match = UNRELEASED.exec(changelog);
  const notes = match?.groups?.['notes']?.trim() ?? '';
  if (match === null || notes === '') return undefined;
  const [before, after] = [changelog.slice(0, match.index), changelog.slice(match.index + match[0].length)];
  const section = `## ${version} - ${date}\n\n${notes}\n`;
  return { text: `${before}${section}${after && `\n${after}`}`, notes };
}
