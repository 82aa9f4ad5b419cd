import { isOptionsObject, type Rule, rule, show } from '../domain/index.js';

const FORM = '{ provide: Store, useValue: fake }';
const KINDS = ['useValue', 'useClass', 'useFactory'];
const KEYS: readonly string[] = ['provide', ...KINDS, 'inject'];

/** Overrides of providers. Whether a provider has the token is known when the application has been made. */
export function overrides(): Rule {
  return rule(
    `a list of providers, such as [${FORM}]`,
    (given) => findFault(given) === undefined,
    ({ value }) => `overrides${findFault(value)}`,
  );
}

/** The fault of a list, as what follows its name. */
function findFault(given: unknown): string | undefined {
  if (!Array.isArray(given)) return ` must be a list of providers, such as [${FORM}], but is ${show(given)}`;
  const tokens = given.map((one: unknown) => (isOptionsObject(one) ? Reflect.get(one, 'provide') : undefined));
  for (const [index, one] of given.entries()) {
    const fault = findFaultOfOne(one) ?? findTwin(tokens, index);
    if (fault !== undefined) return `[${index}]${fault}`;
  }
  return undefined;
}

function findFaultOfOne(one: unknown): string | undefined {
  if (!isOptionsObject(one)) return ` must be a provider, such as ${FORM}, but is ${show(one)}`;
  const token: unknown = Reflect.get(one, 'provide');
  if (token === undefined || token === null) return ' has no token; give provide';
  const of = ofToken(token);
  const unknown = Object.keys(one).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) return `${of} has an unknown key, ${unknown}; known are ${KEYS.join(', ')}`;
  const kinds = KINDS.filter((kind) => Reflect.get(one, kind) !== undefined);
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    return `${of} needs one of ${KINDS.join(', ')}, but has ${kinds.join(' and ') || 'none with a value'}`;
  }
  const value: unknown = Reflect.get(one, kind);
  const isRight = kind === 'useValue' || typeof value === 'function';
  return isRight ? undefined : `${of} needs a function as its ${kind}, but has ${show(value)}`;
}

function findTwin(tokens: readonly unknown[], index: number): string | undefined {
  const first = tokens.indexOf(tokens[index]);
  return first === index ? undefined : `${ofToken(tokens[index])} has the token of overrides[${first}]`;
}

function ofToken(token: unknown): string {
  return `, of ${typeof token === 'function' ? token.name : String(token)},`;
}
