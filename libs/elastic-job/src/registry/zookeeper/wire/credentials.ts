import type { ConnectionOptions as TlsOptions } from 'node:tls';
import type { SaslCredentials } from './sasl.js';

/** Proof of this client's identity for a server. */
export interface Credentials {
  readonly digest: string | undefined;
  readonly sasl: SaslCredentials | undefined;
  readonly tls: TlsOptions | undefined;
}
