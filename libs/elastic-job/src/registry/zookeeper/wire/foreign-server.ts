import type { ServerAddress } from './server-list.js';

/** First bytes by which servers of other protocols are known. */
const KINDS: readonly (readonly [start: string, kind: string])[] = [
  ['HTTP/', 'HTTP'],
  ['SSH-', 'SSH'],
  ['-', 'RESP, as Redis does'],
  ['\u0015\u0003', 'TLS; give the option tls if it is the secureClientPort of ZooKeeper'],
];

/**
 * Error of a server whose first reply is none of ZooKeeper's, so that the address is most likely a wrong one.
 * @param chunk the first bytes that came
 */
export function foreignServer({ host, port }: ServerAddress, chunk: Buffer, cause: unknown): Error {
  const text = chunk.toString('latin1');
  const speaks = KINDS.find(([start]) => text.startsWith(start))?.[1] ?? 'another protocol';
  return new Error(
    `${host}:${port} is no ZooKeeper server: it speaks ${speaks}; servers takes client ports, usually 2181`,
    { cause },
  );
}
