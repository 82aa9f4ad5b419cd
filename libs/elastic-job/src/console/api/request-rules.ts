// Rules of what routes are asked. A message shows a value in short, and a secret not at all.
import {
  isFixed,
  isObject,
  JOB_SETTINGS,
  mustBe,
  mustBeUnseen,
  namesOf,
  type Rule,
  rule,
  show,
} from '../../domain/index.js';
import { findNameFault } from './names.js';

const LONGEST_REASON = 512;
const MOST_PARAMETER_BYTES = 64 * 1_024;
/** Longest name of anything, and longest password. */
export const LONGEST_NAME = 1_024;

/** A text of the request line or of a name. */
export function shortText(longest: number): Rule {
  const what = `a text of 1 to ${longest} characters`;
  return {
    ...rule(
      what,
      (value) => typeof value === 'string' && value.length > 0 && value.length <= longest,
      mustBe(what, shortened),
    ),
    schema: { type: 'string', minLength: 1, maxLength: longest },
  };
}

export function secretText(longest: number): Rule {
  const what = `a text of 1 to ${longest} characters`;
  return {
    ...rule(what, (value) => typeof value === 'string' && value !== '' && value.length <= longest, mustBeUnseen(what)),
    schema: { type: 'string', minLength: 1, maxLength: longest },
  };
}

/** Stands in the audit and in logs, each in one line. */
export function reason(): Rule {
  const what = `a text of at most ${LONGEST_REASON} characters in one line`;
  return {
    ...rule(
      what,
      (value) => typeof value === 'string' && value.length <= LONGEST_REASON && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value),
      mustBe(what, shortened),
    ),
    schema: { type: 'string', maxLength: LONGEST_REASON },
  };
}

/** May be a secret, so that no message shows it. */
export function parameters(): Rule {
  const what = `a text of at most ${MOST_PARAMETER_BYTES} bytes`;
  return {
    ...rule(
      what,
      (value) => typeof value === 'string' && Buffer.byteLength(value) <= MOST_PARAMETER_BYTES,
      mustBeUnseen(what),
    ),
    schema: { type: 'string', maxLength: MOST_PARAMETER_BYTES },
  };
}

export function matching(what: string, pattern: RegExp): Rule {
  return {
    ...rule(what, (value) => typeof value === 'string' && pattern.test(value), mustBe(what, shortened)),
    schema: { type: 'string' },
  };
}

export function instant(): Rule {
  const what = 'an instant in ISO 8601 with its zone, such as 2026-01-31T23:59:59.000Z';
  return {
    ...rule(
      what,
      (value) =>
        typeof value === 'string' &&
        /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/.test(value) &&
        !Number.isNaN(Date.parse(value)),
      mustBe(what, shortened),
    ),
    schema: { type: 'string', format: 'date-time' },
  };
}

export function listOf({ accepts = () => true, schema = {}, what: each }: Rule, most: number): Rule {
  const what = `a list of 1 to ${most}, each ${each}`;
  return {
    ...rule(
      what,
      (value) => Array.isArray(value) && value.length > 0 && value.length <= most && value.every(accepts),
      mustBe(what, shortened),
    ),
    schema: { type: 'array', items: schema, minItems: 1, maxItems: most },
  };
}

export function nodeName(what: string): Rule {
  return {
    ...rule(
      what,
      (value) => findNameFault(value) === undefined,
      ({ property, value }) => `${property} ${findNameFault(value)}, but is ${shortened(value)}`,
    ),
    schema: { type: 'string', minLength: 1, maxLength: LONGEST_NAME },
  };
}

/** The library judges each of them, and names all faults at once. */
export function settings(what: string): Rule {
  const names = namesOf(JOB_SETTINGS).filter((name) => !isFixed(name));
  const properties = Object.fromEntries(
    names.map((name) => {
      const { schema = {}, what: description }: Rule = JOB_SETTINGS[name].rule;
      return [name, { anyOf: [{ ...schema, description }, { type: 'null' }, { const: 'hidden' }] }];
    }),
  );
  return {
    ...rule(what, isObject, mustBeUnseen(what)),
    schema: { type: 'object', properties, additionalProperties: false },
  };
}

function shortened(value: unknown): string {
  const shown = show(value);
  return shown.length <= 80 ? shown : `${shown.slice(0, 77)}...`;
}
