import { RegistryUnavailableError } from '../../registry.errors.js';

/** The error of a request whose connection ended before the answer. */
export function connectionBroke(
  operation: string,
  { wasSent, cause }: { readonly wasSent: boolean; readonly cause: unknown },
): RegistryUnavailableError {
  const detail = `the connection broke before the answer came: ${reasonOf(cause)}`;
  return new RegistryUnavailableError(operation, wasSent ? 'unknown' : 'not-applied', detail, { cause });
}

/** Why a connection ended. Several addresses of one name fail together, with a code but without a message. */
export function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}
