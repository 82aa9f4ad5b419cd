import { type EntryReader, type KeptRule, rule, type Rule } from '../../domain/index.js';

/** The part of a variable's row that a setting's rule gives. */
interface KeptVariable {
  readonly rule: Rule;
  readonly read: (given: string) => unknown;
}

/** A variable with the value of a setting, in the form in which the registry keeps it. */
export function keptVariable({ accepts, what, read }: KeptRule<unknown>): KeptVariable {
  const valueOf = (given: string) => read(readerOf(given), '', []);
  const isAccepted = (given: unknown) => typeof given === 'string' && accepts?.(valueOf(given)) === true;
  return { rule: rule(what, isAccepted), read: valueOf };
}

/** Reads a variable as the entry of a node. What is no such value is undefined, which no rule accepts. */
function readerOf(given: string): EntryReader {
  const number = () => (/^-?\d+(?:\.\d+)?$/.test(given) ? Number(given) : undefined);
  const word = <Word extends string>(words: readonly Word[]) => words.find((one) => one === given);
  return {
    text: () => given,
    boolean: () => ({ true: true, false: false })[given],
    number,
    integerOr: (_key, words) => word(words) ?? number(),
    oneOf: (_key, words) => word(words),
  };
}
