/** Variables of this process that every other one gets: they say where programs are, and how texts are written. */
const INHERITED = /^(?:PATH|LANG|LANGUAGE|LC_[A-Z]+|SYSTEMROOT)$/i;

/**
 * Variables that a process inherits of this one: `PATH`, the locale, and nothing else that is not named.
 * @param names further variables
 * @internal
 */
export function inheritedEnvironment(names: readonly string[] = []): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => INHERITED.test(name) || names.includes(name)),
  );
}
