import type { ServerAddress } from '../wire/index.js';
import type { Session } from './session.js';
import type { ResolvedZooKeeperOptions } from '../zookeeper-options.js';

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/i;

/** Warns, once connected for the first time, of a digest that everybody on the way to the servers can read. */
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
      `The registry's digest goes to ${hosts} without TLS: whoever can read the connection has the password, and may then ` +
        'write to the registry. Give the option tls; requireTls refuses to connect without it.',
    );
  });
}

/** By the name alone, which is not resolved. */
export function isLoopback({ host }: ServerAddress): boolean {
  return LOOPBACK.test(host);
}
