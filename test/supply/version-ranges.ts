/** The three numbers of a version, without a pre-release or a build. */
type Version = readonly [number, number, number];

/** Versions from one on, or from the first if it is left out, and below another. */
export interface VersionSpan {
  readonly from?: string;
  readonly below: string;
}

/** True for a version of the span. @throws {RangeError} if the text is no version */
export function isWithin(version: string, { from = '0.0.0', below }: VersionSpan): boolean {
  const numbers = versionOf(version);
  return compare(numbers, versionOf(from)) >= 0 && compare(numbers, versionOf(below)) < 0;
}

/**
 * True if a range includes a version of the span. The range is exact or a caret, or several of these with `||`.
 * @throws {RangeError} for any other form of a range
 */
export function admits(range: string, { from = '0.0.0', below }: VersionSpan): boolean {
  return range.split('||').some((part) => {
    const { lowest, end } = endsOf(part.trim());
    return compare(lowest, versionOf(below)) < 0 && compare(end, versionOf(from)) > 0;
  });
}

/** The first version of a part of a range, and the first one beyond it. */
function endsOf(part: string): { readonly lowest: Version; readonly end: Version } {
  const lowest = versionOf(part.replace(/^\^/, ''));
  const [major, minor, patch] = lowest;
  if (!part.startsWith('^') || (major === 0 && minor === 0)) return { lowest, end: [major, minor, patch + 1] };
  return { lowest, end: major > 0 ? [major + 1, 0, 0] : [0, minor + 1, 0] };
}

function versionOf(text: string): Version {
  const [, major, minor, patch] = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:[-+][\w.+-]+)?$/.exec(text) ?? [];
  if (major === undefined) throw new RangeError(`"${text}" is no version such as 1.2.3`);
  return [Number(major), Number(minor), Number(patch)];
}

function compare(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
