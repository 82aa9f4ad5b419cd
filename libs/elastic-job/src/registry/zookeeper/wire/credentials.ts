import type { ConnectionOptions as TlsOptions } from 'node:tls';
import type { SaslCredentials } from './sasl.js';

/** What shows a server who this client is. */
export interface Credentials {
  readonly digest: string | undefined;
  readonly sasl: SaslCredentials | undefined;
  readonly tls: TlsOptions | undefined;
}
