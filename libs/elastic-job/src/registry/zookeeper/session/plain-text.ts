import type { ServerAddress } from '../wire/index.js';
import type { Session } from './session.js';
import type { ResolvedZooKeeperOptions } from '../zookeeper-options.js';

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/i;

/** Warns at the first connection if the digest travels unencrypted beyond this host. */
export function warnOfPlainText(
  session: Session,
  { credentials, servers }: Pick<ResolvedZooKeeperOptions, 'credentials' | 'servers'>,
  warn: (message: string) => void,
): void {
  const { digest, tls } = credentials.reveal();
  const beyond = servers.filter((server) => !isLoopback(server));
  if (digest === undefined || tls || beyond.length === 0) return;
  session.onChange(({ state }) => {
    if (state !== 'CONNECTED') return;
    const hosts = beyond.map(({ host }) => host).join(', ');
    warn(
      `The registry's digest goes to ${hosts} without TLS: anyone who reads the connection has the password and can ` +
        'write to the registry. Set the option tls; requireTls refuses to connect without it.',
    );
  });
}

/** Judges by the name alone, without resolving it. */
export function isLoopback({ host }: ServerAddress): boolean {
  return LOOPBACK.test(host);
}
