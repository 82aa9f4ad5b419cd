import { sharedClass } from '../../copies/index.js';

/**
 * A value that may hold secrets, such as credentials. Code that needs it asks for it by name; no log, JSON, inspection
 * or error message shows it by accident.
 */
@sharedClass('Hidden')
export class Hidden<T> {
  // Truly private: `util.inspect` shows every other field.
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return 'hidden';
  }

  toJSON(): string {
    return 'hidden';
  }
}

/** A text that may hold secrets, such as the password of a tracing database. @see Hidden */
@sharedClass('HiddenText')
export class HiddenText extends Hidden<string> {}

/** Nearly all jobs have none. */
const NO_PROPS: Readonly<Record<string, string>> = Object.freeze({});

/** Freezes props. A log shows their names alone, since values may be secrets, or addresses with keys. */
export function hiddenProps(props: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (Object.keys(props).length === 0) return NO_PROPS;
  const copy = { ...props };
  showAs(copy, () => Object.fromEntries(Object.keys(copy).map((name) => [name, 'hidden'])));
  return Object.freeze(copy);
}

/** Key under which Node looks for an object's own form in `console.log`. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** Makes `console.log` and `util.inspect` show another value for the object. The object must be extensible. */
export function showAs(object: object, shown: () => unknown): void {
  Object.defineProperty(object, INSPECT, { value: shown, configurable: true });
}
