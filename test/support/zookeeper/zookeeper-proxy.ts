import { connect, createServer, type Socket } from 'node:net';
import { listen } from './loopback.js';

/** A network between clients and a ZooKeeper server that tests can break. */
export interface ZooKeeperProxy {
  /** The server list for the clients. */
  readonly connect: string;
  /** Ends the session, as its timeout would: its client's connection breaks, and the next one learns of the expiry. */
  expire(sessionId: string): Promise<void>;
  /** Breaks every connection once. */
  cut(): void;
  /** Breaks every connection and accepts no other until `heal`. */
  block(): void;
  /** Number of connections that were not accepted. */
  readonly refused: number;
  /** Accepts connections again. */
  heal(): void;
  stop(): Promise<void>;
}

/**
 * Offset in the server's first frame: after its length, protocol version and timeout. The password has its own length.
 */
const SESSION_ID_AT = 12;
const PASSWORD_AT = 24;
const PASSWORD_BYTES = 16;
const CONNECTED_BYTES = PASSWORD_AT + PASSWORD_BYTES;

export async function startProxy(target: string): Promise<ZooKeeperProxy> {
  const [host, port] = hostAndPort(target);
  const sockets = new Set<Socket>();
  const passwords = new Map<string, Buffer>();
  let blocked = false;
  let refused = 0;
  /** Sessions that are being ended. */
  let expiring = 0;

  const server = createServer((client) => {
    if (blocked || expiring > 0) {
      refused += 1;
      return client.destroy();
    }
    const upstream = connect(port, host);
    upstream.once('data', (first) => {
      if (first.length < CONNECTED_BYTES) return;
      const id = first.readBigUInt64BE(SESSION_ID_AT).toString(16);
      passwords.set(id, Buffer.from(first.subarray(PASSWORD_AT, CONNECTED_BYTES)));
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.setNoDelay().on('error', () => {});
      one.on('data', (data) => other.write(data));
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    return undefined;
  });
  const ownPort = await listen(server);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    connect: `127.0.0.1:${ownPort}`,
    async expire(sessionId) {
      const password = passwords.get(sessionId);
      if (!password) throw new RangeError(`No client of this proxy has the session ${sessionId}.`);
      // A server that ends a session just after it has taken back the client answers nothing on that connection.
      expiring += 1;
      await closeSession({ host, port, sessionId, password }).finally(() => (expiring -= 1));
    },
    cut,
    block() {
      blocked = true;
      cut();
    },
    get refused() {
      return refused;
    },
    heal() {
      blocked = false;
    },
    async stop() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface SessionAccess {
  readonly host: string;
  readonly port: number;
  /** Hexadecimal digits. */
  readonly sessionId: string;
  readonly password: Buffer;
}

/** Takes the session over in a connection of its own and closes it, which is the standard way to make one expire. */
export function closeSession({ host, port, sessionId, password }: SessionAccess): Promise<void> {
  const request = Buffer.alloc(28);
  request.writeInt32BE(10_000, 12);
  request.writeBigUInt64BE(BigInt(`0x${sessionId}`), 16);
  request.writeInt32BE(PASSWORD_BYTES, 24);
  const goodbye = Buffer.alloc(8);
  goodbye.writeInt32BE(1, 0);
  goodbye.writeInt32BE(-11, 4);
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => socket.write(frame(Buffer.concat([request, password]))));
    socket.once('data', () => socket.write(frame(goodbye)));
    socket.on('error', reject);
    socket.on('close', () => resolve());
  });
}

function frame(payload: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(payload.length);
  return Buffer.concat([length, payload]);
}

function hostAndPort(target: string): readonly [string, number] {
  const first = target.split(',')[0] ?? target;
  const colon = first.lastIndexOf(':');
  return [first.slice(0, colon), Number(first.slice(colon + 1))];
}
