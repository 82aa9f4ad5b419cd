/**
 * Callers of the console: accounts and tokens of the options, sessions, the address behind proxies, and limits.
 *
 * - A request passes these in order: nothing secret in its URL; a `Host` that is the console's own; who asks; for a
 *   change the `Origin`. `Identities.authenticate` has all of them, so no route can forget one.
 * - Kept: the SHA-256 of a session's id and of a token, the scrypt text of a password. None of these lets anybody in.
 * - A session gives what its user may at present, and never more than at the log-in. It ends at once by a log-out, for
 *   each console of its store, and when its user is gone, or has another password or another prefix.
 * - Store of sessions away: 503, also for a log-out, since the session would go on. Tokens do not need it.
 * - A refusal says neither whether a name exists nor whether a token has expired. Its time does not tell either.
 */
export * from './addresses.js';
export * from './auth-options.js';
export * from './identities.js';
export * from './memory-session-store.js';
export * from './passwords.js';
export * from './rate-limits.js';
export * from './request-secrets.js';
export * from './secrets.js';
export * from './session-store.js';
