import { causeOf, codeOf, isError, messageOf, nameOf } from '../domain/index.js';

/** Most causes that are kept, since a chain of causes may be circular. */
const MOST_CAUSES = 5;

/** Text of the innermost cause. The message of `fetch` itself is always `fetch failed`. */
export function rootCause(thrown: unknown, mostCauses = MOST_CAUSES): string {
  const cause = causeOf(thrown);
  if (isError(cause) && mostCauses > 0) return rootCause(cause, mostCauses - 1);
  return messageOf(thrown) || nameOf(thrown);
}

/**
 * The error of a request as it may be shown: name, message and code of it and its causes. Its other fields may hold
 * what the server has answered.
 */
export function fetchFault(thrown: unknown, mostCauses = MOST_CAUSES): Error {
  const cause = causeOf(thrown);
  const hasCause = isError(cause) && mostCauses > 0;
  const fault = new Error(messageOf(thrown), hasCause ? { cause: fetchFault(cause, mostCauses - 1) } : undefined);
  delete fault.stack; // It would be that of this function.
  const [name, code] = [nameOf(thrown), codeOf(thrown)];
  // Defined, since an assignment fails where somebody has frozen `Error.prototype`.
  return Object.defineProperties(fault, {
    name: { value: name, writable: true, configurable: true },
    ...(code !== undefined && { code: { value: code, enumerable: true, writable: true, configurable: true } }),
  });
}
