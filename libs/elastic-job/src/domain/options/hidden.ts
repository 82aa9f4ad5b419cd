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
