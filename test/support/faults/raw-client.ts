import { connect, type Socket } from 'node:net';
import { frame, FrameSplitter, int32, OP, payloadOf } from './frames.js';

export interface RawReply {
  readonly xid: number;
  /** 0, or ZooKeeper's error code. */
  readonly error: number;
  readonly body: Buffer;
}

export interface RawClientOptions {
  /** @default 10_000 */
  readonly sessionTimeoutMs?: number;
  /** An open connection to use instead, such as one by TLS. */
  readonly socket?: Socket;
}

const ENDED = 'The connection has ended before the reply.';
const EPHEMERAL = 1;
const PERSISTENT = 0;
const ALL_PERMISSIONS = 31;

/**
 * A client as plain as can be, which hides nothing: it never pings, never reconnects, and rejects what is unanswered when
 * its connection ends.
 */
export class RawClient {
  /** In hexadecimal digits. */
  readonly sessionId: string;
  /** What the server grants. */
  readonly sessionTimeoutMs: number;
  #xid = 0;

  constructor(
    private readonly socket: Socket,
    private readonly payloads: AsyncGenerator<Buffer, undefined>,
    /** Resolves when the connection has ended. */
    readonly closed: Promise<void>,
    handshake: Buffer,
  ) {
    this.sessionTimeoutMs = handshake.readInt32BE(4);
    this.sessionId = handshake.readBigUInt64BE(8).toString(16);
  }

  /** How much has arrived, of whole frames and of others. */
  get bytesRead(): number {
    return this.socket.bytesRead;
  }

  /** @throws if the connection ends before the reply */
  async request(type: number, body: Buffer): Promise<RawReply> {
    const xid = (this.#xid += 1);
    this.socket.write(frame(Buffer.concat([int32(xid), int32(type), body])));
    const payload = await nextOf(this.payloads);
    return { xid: payload.readInt32BE(), error: payload.readInt32BE(12), body: payload.subarray(16) };
  }

  create(path: string, { data = '', ephemeral = false } = {}): Promise<RawReply> {
    const acl = [int32(1), int32(ALL_PERMISSIONS), text('world'), text('anyone')];
    const flags = int32(ephemeral ? EPHEMERAL : PERSISTENT);
    return this.request(OP.create, Buffer.concat([text(path), text(data), ...acl, flags]));
  }

  exists(path: string): Promise<RawReply> {
    return this.request(OP.exists, Buffer.concat([text(path), Buffer.alloc(1)]));
  }

  getData(path: string): Promise<RawReply> {
    return this.request(OP.getData, Buffer.concat([text(path), Buffer.alloc(1)]));
  }

  /** Closes the connection; the session lives on. */
  async stop(): Promise<void> {
    this.socket.destroy();
    await this.closed;
  }
}

/**
 * Opens a session on the server at that loopback port.
 * @throws if the connection ends before there is one
 */
export async function connectRawClient(port: number, options: RawClientOptions = {}): Promise<RawClient> {
  const socket = options.socket ?? connect(port, '127.0.0.1');
  socket.setNoDelay().on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const payloads = payloadsOf(socket);
  const request = Buffer.concat([
    Buffer.alloc(12),
    int32(options.sessionTimeoutMs ?? 10_000),
    Buffer.alloc(8),
    bytes(Buffer.alloc(16)),
    Buffer.alloc(1),
  ]);
  socket.write(frame(request));
  return new RawClient(socket, payloads, closed, await nextOf(payloads));
}

async function* payloadsOf(socket: Socket): AsyncGenerator<Buffer, undefined> {
  const splitter = new FrameSplitter();
  for await (const chunk of socket) for (const whole of splitter.push(chunk)) yield payloadOf(whole);
  return undefined;
}

async function nextOf(payloads: AsyncGenerator<Buffer, undefined>): Promise<Buffer> {
  try {
    const { value } = await payloads.next();
    if (value) return value;
  } catch (cause) {
    throw new Error(ENDED, { cause });
  }
  throw new Error(ENDED);
}

function text(value: string): Buffer {
  return bytes(Buffer.from(value));
}

function bytes(value: Buffer): Buffer {
  return Buffer.concat([int32(value.length), value]);
}
