import { runInNewContext } from 'node:vm';

/** Makers of values that a user's function may throw, each with the secret in a place of its own. */
const PLAIN: ReadonlyMap<string, (secret: string) => unknown> = new Map([
  ['a text', (secret) => `login with ${secret}`],
  ['a number', (secret) => Number(secret.replaceAll(/\D/g, ''))],
  ['a symbol', (secret) => Symbol(secret)],
  ['an error', (secret) => new TypeError(`login with ${secret}`)],
  ['an address with a password', (secret) => new URL(`https://me:${secret}@example.org/`)],
  ['an object with a text of its own', (secret) => ({ toString: () => `login with ${secret}` })],
  ['an object with a JSON of its own', (secret) => ({ toJSON: () => secret, toString: () => 'none' })],
  ['an object of a class', (secret) => new Request(`https://example.org/?key=${secret}`)],
  ['a function', (secret) => Object.assign(() => secret, { toString: () => secret })],
  ['a record', (secret) => ({ config: { headers: { authorization: secret } }, hidden: [[secret]] })],
  ['a record of another realm', (secret) => runInNewContext('({ config: { key: secret } })', { secret })],
  ['an error of another realm', (secret) => runInNewContext('new TypeError(secret)', { secret })],
  ['a subclass of another realm', (secret) => runInNewContext(FOREIGN_CLASS, { secret })],
  ['an error whose message is a getter', (secret) => new TellingError(secret)],
  ['an error with an address', (secret) => Object.assign(new Error('no'), { url: new URL(`https://a:${secret}@b/`) })],
  ['an error with a request', (secret) => Object.assign(new Error('no'), { config: { headers: { key: secret } } })],
  ['an error with a map', (secret) => Object.assign(new Error('no'), { headers: new Map([['key', secret]]) })],
  ['an error with a name of its own', (secret) => Object.assign(new Error('no'), { name: `Error ${secret}` })],
  ['an error without a stack', (secret) => Object.assign(new Error(`no ${secret}`), { stack: undefined })],
  ['a DOMException', (secret) => new DOMException(`no ${secret}`, 'AbortError')],
  ['a proxy', (secret) => new Proxy(new Error(`no ${secret}`), {})],
]);

/** An error that shows itself as it likes. */
class TellingError extends Error {
  readonly #secret: string;

  constructor(secret: string) {
    super();
    this.#secret = secret;
  }

  override get message(): string {
    return `login with ${this.#secret}`;
  }

  get details(): object {
    return { key: this.#secret };
  }

  override toString(): string {
    return this.#secret;
  }

  toJSON(): object {
    return { key: this.#secret };
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.#secret;
  }
}

const FOREIGN_CLASS = `
class OrderError extends Error {
  get details() { return secret; }
}
Object.assign(new OrderError('no ' + secret), { cause: { key: secret } });
`;

/** These values, and each of them as a cause and among the errors of an `AggregateError`. */
export const SECRET_VALUES: ReadonlyMap<string, (secret: string) => unknown> = new Map(
  [...PLAIN].flatMap(([what, make]) => [
    [what, make],
    [
      `${what} as a cause`,
      (secret: string) => new Error('outer', { cause: new Error('inner', { cause: make(secret) }) }),
    ],
    [`${what} in an AggregateError`, (secret: string) => new AggregateError([make(secret)], 'all')],
    [`${what} in a list`, (secret: string) => [make(secret)]],
  ]),
);
