import { GREATEST_INT, show } from '../options/index.js';
import { handleRejection, messageOf, readable } from '../thrown.js';

/** Settings of job types, error handlers and listeners, by name. @see JobOptions.props */
export type JobProps = Readonly<Record<string, string>>;

/**
 * Reads the props of one type. Each of the `faults` begins with the name of the wrong property, and shows no value: any
 * of them may hold a secret, such as one that was given under the wrong name.
 */
export class PropsReader {
  readonly faults: string[] = [];

  constructor(private readonly props: JobProps) {}

  /** An optional text; an empty one counts as left out. */
  text(name: string): string | undefined {
    return this.props[name] || undefined;
  }

  /** A text that must be given. @param example a valid value, for the message */
  required(name: string, example?: string): string {
    const text = this.text(name);
    const hint = example === undefined ? '' : `, such as ${show(example)}`;
    if (text === undefined) this.faults.push(`${name} must be given${hint}`);
    return text ?? '';
  }

  /** The address of a web service. */
  requiredUrl(name: string): string {
    const text = this.required(name);
    if (text !== '' && !(/^https?:/i.test(text) && URL.canParse(text))) {
      this.faults.push(`${name} must be an address that begins with https:// or http://`);
    }
    return text;
  }

  /** A whole number from 1 on. @param usual the value of a missing property; without it, the property must be given */
  positive(name: string, usual?: number, to = GREATEST_INT): number {
    const text = usual === undefined ? this.required(name) : this.text(name);
    if (!text) return usual ?? 0;
    const number = /^\d+$/.test(text) ? Number(text) : 0;
    if (number < 1 || number > to) {
      this.faults.push(`${name} must be a whole number from 1 to ${to}`);
    }
    return number;
  }

  flag(name: string, usual: boolean): boolean {
    const text = this.text(name) ?? String(usual);
    if (text !== 'true' && text !== 'false') this.faults.push(`${name} must be true or false`);
    return text === 'true';
  }
}

/** Receives what a check has thrown. */
export type OnThrown = (error: unknown) => void;

/**
 * A user's `FindPropsFaults` as the library calls it: one that throws has found a fault.
 * @param onThrown receives what it has thrown
 */
export type CheckProps = (props: JobProps, onThrown?: (error: unknown) => void) => readonly string[];

/** Faults that a user's check has found, one text each. If it throws, or returns no list of texts, that is a fault. */
export function faultsOf(check: () => unknown, onThrown: OnThrown = () => {}): readonly string[] {
  try {
    const found = check();
    handleRejection(found);
    if (Array.isArray(found) && found.every((fault) => typeof fault === 'string')) return [...found];
    return [`the check of the props must return a list of texts, but has returned ${typeof found}`];
  } catch (thrown) {
    const error = readable(thrown);
    onThrown(error);
    return [`the check of the props has thrown: ${messageOf(error)}`];
  }
}

/**
 * @param refuse makes the error; what a check has thrown is its cause
 * @throws that error if faults are found
 */
export function assertNoFaults(
  find: (onThrown: OnThrown) => readonly string[],
  refuse: (faults: readonly string[], options?: ErrorOptions) => Error,
): void {
  let options: ErrorOptions | undefined;
  const faults = find((cause) => (options = { cause }));
  if (faults.length > 0) throw refuse(faults, options);
}
