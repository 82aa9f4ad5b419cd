import { RegistryUnavailableError } from '../../registry.errors.js';

/** Error of a request whose connection ended before the answer. */
export function connectionBroke(
  operation: string,
  { wasSent, cause }: { readonly wasSent: boolean; readonly cause: unknown },
): RegistryUnavailableError {
  const detail = `the connection broke before the answer came: ${reasonOf(cause)}`;
  return new RegistryUnavailableError(operation, wasSent ? 'unknown' : 'not-applied', detail, { cause });
}

/** Reason why a connection ended. If all addresses of a name fail together, the error has a code but no message. */
export function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}
