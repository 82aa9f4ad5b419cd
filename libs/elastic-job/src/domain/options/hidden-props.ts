import { showAs } from '../inspection.js';

/** Nearly all jobs have none. */
const NO_PROPS: Readonly<Record<string, string>> = Object.freeze({});

/** Frozen props. A log shows their names alone, since their values may be addresses with keys, or secrets. */
export function hiddenProps(props: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (Object.keys(props).length === 0) return NO_PROPS;
  const copy = { ...props };
  showAs(copy, () => Object.fromEntries(Object.keys(copy).map((name) => [name, 'hidden'])));
  return Object.freeze(copy);
}
