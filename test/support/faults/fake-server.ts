import { createServer, type Server, type Socket } from 'node:net';
import { listen } from '../zookeeper/loopback.js';
import { frame, FrameSplitter, int32, payloadOf, type RequestHeader, requestHeader } from './frames.js';

/** An answer of the fake: exactly these bytes, silence, or a closed connection. */
type FakeAnswer = Buffer | 'silence' | 'cut';

export interface FakeServerScript {
  /** The answer to a client that asks for a session. @default a session, with the timeout that was asked for */
  readonly handshake?: FakeAnswer;
  /** Hangs up as soon as the handshake is answered. @default false */
  readonly cutAfterHandshake?: boolean;
  /** The answer to each request. @default a pong for a ping, and else that the node does not exist */
  readonly reply?: (request: RequestHeader, payload: Buffer) => FakeAnswer;
}

const REPLY_HEADER_BYTES = 16;
const NOTIFICATION_XID = -1;
const UNKNOWN_EVENT = 992_477_184;
const GIGABYTES_2 = 0x7f_ff_ff_ff;

/** Frames that no server sends, each fit for `reply`. */
export const MALFORMED = {
  negativeLength: int32(-1),
  zeroLength: int32(0),
  /** Announces a longer frame than any client should wait for. */
  hugeLength: Buffer.concat([int32(GIGABYTES_2), Buffer.alloc(64)]),
  /** Ends within the reply's header. */
  shortHeader: frame(Buffer.alloc(REPLY_HEADER_BYTES - 6, 1)),
  /** An event of a watch for a reason that does not exist. */
  unknownEvent: frame(
    Buffer.concat([replyHeader(NOTIFICATION_XID, 0), int32(UNKNOWN_EVENT), int32(3), int32(2), Buffer.from('/a')]),
  ),
  /** The answer to a request that was never sent. */
  unknownXid: frame(replyHeader(1_000_000, 0)),
  garbage: Buffer.from('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'),
} as const satisfies Record<string, Buffer>;

const NO_NODE = -101;

/** The whole frame of a reply without a body. */
export function emptyReply(xid: number, error: number): Buffer {
  return frame(replyHeader(xid, error));
}

/** The whole frame of a reply whose body is one buffer, such as a step of SASL. */
export function bufferReply(xid: number, body: string): Buffer {
  return frame(Buffer.concat([replyHeader(xid, 0), int32(Buffer.byteLength(body)), Buffer.from(body)]));
}

/** Speaks enough of the protocol to give a client wrong answers. */
export class FakeServer {
  readonly #sockets = new Set<Socket>();
  #connections = 0;

  constructor(
    private readonly server: Server,
    readonly port: number,
    private readonly script: FakeServerScript,
  ) {
    server.on('connection', (socket) => this.#serve(socket));
  }

  get connect(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Number of connections that clients have made so far. */
  get connections(): number {
    return this.#connections;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #serve(socket: Socket): void {
    this.#connections += 1;
    this.#sockets.add(socket);
    socket.setNoDelay().on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
    const { handshake, cutAfterHandshake = false, reply = ordinaryReply } = this.script;
    const splitter = new FrameSplitter();
    let greeted = false;
    socket.on('data', (chunk) => {
      for (const whole of splitter.push(chunk)) {
        const header = requestHeader(whole);
        if (!greeted) {
          answer(socket, handshake ?? session(whole, this.#connections));
          if (cutAfterHandshake) socket.end();
        } else if (header) answer(socket, reply(header, payloadOf(whole)));
        greeted = true;
      }
    });
  }
}

/** Starts a fake server on a free loopback port. */
export async function startFakeServer(script: FakeServerScript = {}): Promise<FakeServer> {
  const server = createServer();
  return new FakeServer(server, await listen(server), script);
}

function answer(socket: Socket, said: FakeAnswer): void {
  if (said === 'cut') socket.destroy();
  else if (said !== 'silence' && socket.writable) socket.write(said);
}

/** The whole frame of the reply to a multi-read of one node, which does not exist. */
export function nothingRead(xid: number): Buffer {
  const end = Buffer.concat([int32(-1), Buffer.of(1), int32(-1)]);
  return frame(Buffer.concat([replyHeader(xid, 0), int32(-1), Buffer.of(0), int32(NO_NODE), int32(NO_NODE), end]));
}

function ordinaryReply({ xid, type }: RequestHeader): FakeAnswer {
  return emptyReply(xid, xid === -2 || type === -11 ? 0 : NO_NODE);
}

/** The answer to a handshake: protocol 0, the timeout asked for, a session id and its password. */
function session(request: Buffer, id: number): Buffer {
  const timeoutMs = payloadOf(request).readInt32BE(12);
  const sessionId = Buffer.alloc(8);
  sessionId.writeBigInt64BE(BigInt(id));
  const readOnly = Buffer.alloc(1);
  return frame(Buffer.concat([int32(0), int32(timeoutMs), sessionId, int32(16), Buffer.alloc(16, 7), readOnly]));
}

function replyHeader(xid: number, error: number): Buffer {
  return Buffer.concat([int32(xid), Buffer.alloc(8), int32(error)]);
}
