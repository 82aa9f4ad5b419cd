/** Variables that every child process inherits: they say where programs are, and how texts are written. */
const INHERITED: ReadonlySet<string> = new Set([
  'PATH',
  'SYSTEMROOT',
  'LANG',
  'LANGUAGE',
  // By name, since a prefix would let an LC_PASSWORD through. @see POSIX, and glibc's locale(7)
  'LC_ADDRESS',
  'LC_ALL',
  'LC_COLLATE',
  'LC_CTYPE',
  'LC_IDENTIFICATION',
  'LC_MEASUREMENT',
  'LC_MESSAGES',
  'LC_MONETARY',
  'LC_NAME',
  'LC_NUMERIC',
  'LC_PAPER',
  'LC_TELEPHONE',
  'LC_TIME',
]);

/**
 * Variables that a child process inherits: `PATH`, the locale, and only the named ones besides.
 * @param names further variables
 * @internal
 */
export function inheritedEnvironment(names: readonly string[] = []): NodeJS.ProcessEnv {
  return Object.fromEntries(
    // Windows has names in any case, such as `Path`.
    Object.entries(process.env).filter(([name]) => INHERITED.has(name.toUpperCase()) || names.includes(name)),
  );
}
