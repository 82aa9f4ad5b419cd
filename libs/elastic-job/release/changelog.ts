/** The section of what is not released yet. Its heading may name the version that is planned. */
const UNRELEASED = /^## (?:\[?Unreleased\]?|\S+ - unreleased)[ \t]*\n(?<notes>[^]*?)(?=^## |(?![^]))/im;

/** A changelog with a new section, and what this says. */
export interface DatedChangelog {
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
