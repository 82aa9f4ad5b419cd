import { type Rule, rule } from './option-rules.js';

/** Rule of an object that has these methods. */
export function having(what: string, ...methods: readonly string[]): Rule {
  return rule(what, (value) => hasMethods(value, ...methods));
}

/** True for the URL of a file, also for one of another realm, such as Jest's. */
export function isFileUrl(value: unknown): value is URL {
  return typeof value === 'object' && value !== null && Reflect.get(value, 'protocol') === 'file:';
}

/** True for an object of any class that has these methods. */
export function hasMethods(value: unknown, ...methods: readonly string[]): boolean {
  return methods.every((method) => typeof Reflect.get(Object(value), method) === 'function');
}
