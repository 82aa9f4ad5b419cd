import { showAs } from '../inspection.js';

/** Nearly all jobs have none. */
const NO_PROPS: Readonly<Record<string, string>> = Object.freeze({});

/** Freezes props. A log shows their names alone, since values may be secrets, or addresses with keys. */
export function hiddenProps(props: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (Object.keys(props).length === 0) return NO_PROPS;
  const copy = { ...props };
  showAs(copy, () => Object.fromEntries(Object.keys(copy).map((name) => [name, 'hidden'])));
  return Object.freeze(copy);
}
