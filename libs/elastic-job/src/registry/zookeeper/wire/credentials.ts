import type { SaslCredentials } from './sasl.js';
import type { TlsSource } from './tls-source.js';

/** Proof of this client's identity for a server. */
export interface Credentials {
  readonly digest: string | undefined;
  readonly sasl: SaslCredentials | undefined;
  readonly tls: TlsSource | undefined;
  /** True if only a server that has proved its name may get them. */
  readonly requireTls: boolean;
}
