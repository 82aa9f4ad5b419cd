import { isLoopbackName } from '../../../clock/index.js';
import type { Session } from './session.js';
import type { ResolvedZooKeeperOptions } from '../zookeeper-options.js';

/** Warns at the first connection if the digest goes beyond this host in clear, or to a server that is not checked. */
export function warnOfPlainText(
  session: Session,
  { credentials, servers }: Pick<ResolvedZooKeeperOptions, 'credentials' | 'servers'>,
  warn: (message: string) => void,
): void {
  const { digest, tls } = credentials.reveal();
  const beyond = servers.filter(({ host }) => !isLoopbackName(host));
  const isUnchecked = typeof tls === 'object' && tls.rejectUnauthorized === false;
  if (digest === undefined || (tls && !isUnchecked) || beyond.length === 0) return;
  const hosts = beyond.map(({ host }) => host).join(', ');
  const warning = isUnchecked
    ? `The registry's digest goes to ${hosts}, and tls has rejectUnauthorized: false: anyone who answers in place of ` +
      'the server has the password and can write to the registry. Name your authority as tls.ca, and set requireTls.'
    : `The registry's digest goes to ${hosts} without TLS: anyone who reads the connection has the password and can ` +
      'write to the registry. Set the option tls; requireTls refuses to connect without it.';
  session.onChange(({ state }) => {
    if (state === 'CONNECTED') warn(warning);
  });
}
