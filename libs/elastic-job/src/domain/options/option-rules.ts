import { ValidateBy, type ValidationArguments } from 'class-validator';

/** Java's `int`, and the longest delay of a timer in milliseconds. */
export const GREATEST_INT = 2_147_483_647;

/** A class-validator message that names the field, says what it must be and echoes what it is. */
export function mustBe(what: string): (given: ValidationArguments) => string {
  return ({ property, value }) => `${property} must be ${what}, but is ${show(value)}`;
}

/** A whole number that fits Java's `int`. */
export function IsWholeNumber({
  from = -GREATEST_INT,
  to = GREATEST_INT,
}: { readonly from?: number; readonly to?: number } = {}): PropertyDecorator {
  return rule(
    'isWholeNumber',
    (value) => Number.isInteger(value) && Number(value) >= from && Number(value) <= to,
    mustBe(`a whole number from ${from} to ${to}`),
  );
}

/** A number, whole or not. */
export function IsNumber({ from, to }: { readonly from: number; readonly to: number }): PropertyDecorator {
  return rule(
    'isNumber',
    (value) => typeof value === 'number' && value >= from && value <= to,
    mustBe(`a number from ${from} to ${to}`),
  );
}

/** A text that `parse` accepts; what it throws tells what is wrong. */
export function IsReadAs(what: string, parse: (text: string) => unknown): PropertyDecorator {
  return rule(
    'isReadAs',
    (value) => typeof value === 'string' && findFault(() => parse(value)) === undefined,
    (given) => {
      const value: unknown = given.value;
      if (typeof value !== 'string') return mustBe(what)(given);
      return `${given.property}: ${findFault(() => parse(value))}`;
    },
  );
}

/** What an attempt threw, as text; undefined if it succeeded. */
export function findFault(attempt: () => unknown): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A rule for one property as class-validator takes it; `message` is asked only if `validate` said no. */
export function rule(
  name: string,
  validate: (value: unknown) => boolean,
  message: (given: ValidationArguments) => string,
): PropertyDecorator {
  return ValidateBy({ name, validator: { validate, defaultMessage: (given) => message(given!) } });
}

/** A value as a developer would write it. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'function') return `the class ${value.name}`;
  if (typeof value === 'object' && value !== null) return `an object (${Object.keys(value).join(', ')})`;
  return String(value);
}
