/** Makers of values that do something when they are looked at, by what they are. */
export const THROWN_TRAPS: ReadonlyMap<string, () => unknown> = new Map([
  ['a revoked proxy', revoked],
  ['a proxy whose every trap throws', () => new Proxy(new Error('hidden'), TRAPS)],
  ['an error whose message throws', () => withTrap('message')],
  ['an error whose name throws', () => withTrap('name')],
  ['an error whose stack throws', () => withTrap('stack')],
  ['an error whose code throws', () => withTrap('code')],
  ['an error whose cause throws', () => withTrap('cause')],
  ['an error whose cause is a revoked proxy', () => new Error('outer', { cause: revoked() })],
  ['an error whose message is no text', () => Object.assign(new Error('m'), { message: Symbol('m'), stack: 5 })],
  ['an object without a prototype', () => Object.create(null)],
  ['a symbol', () => Symbol('thrown')],
  ['undefined', () => undefined],
  ['an object whose toString throws', () => ({ toString: trap })],
  // oxlint-disable-next-line unicorn/no-thenable -- that is the trap
  ['an object whose then throws', () => Object.defineProperty({}, 'then', { get: trap })],
]);

const TRAPS: ProxyHandler<Error> = { get: trap, getPrototypeOf: trap, has: trap, ownKeys: trap };

function trap(): never {
  throw new Error('a trap of the value itself');
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable(new Error('hidden'), {});
  revoke();
  return proxy;
}

function withTrap(name: string): Error {
  return Object.defineProperty(new Error(`an error with a ${name} that throws`), name, { get: trap });
}
