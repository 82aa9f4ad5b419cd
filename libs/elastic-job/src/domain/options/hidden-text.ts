/**
 * A text that may hold secrets, such as the password of a tracing database: whoever wants it asks for it by name, and no
 * log, JSON or error message shows it by accident.
 */
export class HiddenText {
  // Truly private: `util.inspect` shows every other field.
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return 'hidden';
  }

  toJSON(): string {
    return 'hidden';
  }
}
