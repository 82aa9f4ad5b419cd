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
