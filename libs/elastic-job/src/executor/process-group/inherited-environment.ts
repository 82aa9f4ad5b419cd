/** Variables that every child process inherits: they say where programs are, and how texts are written. */
const INHERITED = /^(?:PATH|LANG|LANGUAGE|LC_[A-Z]+|SYSTEMROOT)$/i;

/**
 * Variables that a child process inherits: `PATH`, the locale, and only the named ones besides.
 * @param names further variables
 * @internal
 */
export function inheritedEnvironment(names: readonly string[] = []): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => INHERITED.test(name) || names.includes(name)),
  );
}
