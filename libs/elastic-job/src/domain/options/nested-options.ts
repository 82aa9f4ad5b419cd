import { mustBeUnseen, type Rule, rule } from './option-rules.js';
import type { OptionTable } from './option-table.js';
import { isOptionsObject } from './options-object.js';

/**
 * Rule of an option that has options of its own, which the table judges. A value that has none is not shown, since it
 * may be a secret.
 * @param what the end of "must be"
 */
export function nested(what: string, table: OptionTable): Rule {
  const faultsOf = (value: object) => [...table.findUnknown(value), ...table.findBroken(value)];
  return rule(
    what,
    (value) => isOptionsObject(value) && faultsOf(value).length === 0,
    (given) => (isOptionsObject(given.value) ? faultsOf(given.value).join('; ') : mustBeUnseen(what)(given)),
  );
}
