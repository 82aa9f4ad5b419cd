import { showAs } from '../inspection.js';

/** Frozen props. A log shows their names alone, since their values may be addresses with keys, or secrets. */
export function hiddenProps(props: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const copy = { ...props };
  showAs(copy, () => Object.fromEntries(Object.keys(copy).map((name) => [name, 'hidden'])));
  return Object.freeze(copy);
}
