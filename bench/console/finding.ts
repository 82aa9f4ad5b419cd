/** A figure beside what is promised. */
export interface Finding {
  readonly what: string;
  readonly value: number;
  readonly most: number;
  readonly unit: string;
}

/** Prints each of them with its verdict. @returns false if one falls short */
export function tellFindings(findings: readonly Finding[]): boolean {
  for (const { most, unit, value, what } of findings) {
    const verdict = value <= most ? 'kept  ' : 'BROKEN';
    console.log(`${verdict}  ${what}: ${value.toFixed(value < 10 ? 2 : 0)} ${unit} (at most ${most})`);
  }
  return findings.every(({ most, value }) => value <= most);
}
