import { type Rule, rule } from '../../domain/index.js';

/** A finite number greater than 0. */
export function positive(): Rule {
  return rule('a number greater than 0', (value) => typeof value === 'number' && Number.isFinite(value) && value > 0);
}

/** A text that is not empty. @param what its form */
export function filledText(what: string): Rule {
  return rule(what, (value) => typeof value === 'string' && value.trim() !== '');
}
