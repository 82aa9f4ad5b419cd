import { connect, type Socket } from 'node:net';
import { frame, FrameSplitter, int32, OP, payloadOf } from './frames.js';

export interface RawReply {
  readonly xid: number;
  /** 0, or ZooKeeper's error code. */
  readonly error: number;
  readonly body: Buffer;
}

/** Permissions of a node. */
export type RawAcl = readonly { readonly permissions: number; readonly scheme: string; readonly id: string }[];

export interface RawClientOptions {
  /** @default 10_000 */
  readonly sessionTimeoutMs?: number;
  /** An open connection to use, such as one by TLS. */
  readonly socket?: Socket;
}

const ENDED = 'The connection has ended before the reply.';
const EPHEMERAL = 1;
const PERSISTENT = 0;
const NOT_EMPTY = -111;
const MOST_ROUNDS = 5;
export const ALL_PERMISSIONS = 31;
const ANY_VERSION = -1;

/**
 * A plain client that hides nothing: it never pings, never reconnects, and rejects unanswered requests when its
 * connection ends.
 */
export class RawClient {
  /** In hexadecimal digits. */
  readonly sessionId: string;
  /** Session timeout that the server grants. */
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

  /** Number of bytes that have arrived, in frames or not. */
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

  /** @param acl @default everyone may do everything with it */
  create(path: string, { data = '', ephemeral = false, acl = open(ALL_PERMISSIONS) } = {}): Promise<RawReply> {
    const flags = int32(ephemeral ? EPHEMERAL : PERSISTENT);
    return this.request(OP.create, Buffer.concat([text(path), text(data), aclBytes(acl), flags]));
  }

  /** Authenticates this client. @param scheme such as `digest`, whose proof is `user:password` */
  authenticate(scheme: string, proof: string): Promise<RawReply> {
    return this.request(OP.auth, Buffer.concat([int32(0), text(scheme), text(proof)]));
  }

  /**
   * Creates nodes in a row: each by a request of its own, without waiting for the reply to the one before.
   * @returns ZooKeeper's error codes, without zeros
   */
  createRow(
    nodes: readonly { readonly path: string; readonly data: string }[],
    mode: 'PERSISTENT' | 'EPHEMERAL' = 'PERSISTENT',
  ): Promise<readonly number[]> {
    const flags = mode === 'EPHEMERAL' ? EPHEMERAL : PERSISTENT;
    const rest = Buffer.concat([aclBytes(open(ALL_PERMISSIONS)), int32(flags)]);
    return this.row(
      OP.create,
      nodes.map(({ path, data }) => Buffer.concat([text(path), text(data), rest])),
    );
  }

  /** Writes nodes in a row. @see createRow */
  writeRow(nodes: readonly { readonly path: string; readonly data: string }[]): Promise<readonly number[]> {
    return this.row(
      OP.setData,
      nodes.map(({ path, data }) => Buffer.concat([text(path), text(data), int32(ANY_VERSION)])),
    );
  }

  /** Removes nodes in a row. @see createRow */
  removeRow(paths: readonly string[]): Promise<readonly number[]> {
    return this.row(
      OP.delete,
      paths.map((path) => Buffer.concat([text(path), int32(ANY_VERSION)])),
    );
  }

  private async row(type: number, bodies: readonly Buffer[]): Promise<readonly number[]> {
    const requests = bodies.map((body) => frame(Buffer.concat([int32((this.#xid += 1)), int32(type), body])));
    this.socket.write(Buffer.concat(requests));
    const errors: number[] = [];
    for (const _ of bodies) {
      const error = (await nextOf(this.payloads)).readInt32BE(12);
      if (error !== 0) errors.push(error);
    }
    return errors;
  }

  exists(path: string): Promise<RawReply> {
    return this.request(OP.exists, Buffer.concat([text(path), Buffer.alloc(1)]));
  }

  getData(path: string): Promise<RawReply> {
    return this.request(OP.getData, Buffer.concat([text(path), Buffer.alloc(1)]));
  }

  setData(path: string, data: string): Promise<RawReply> {
    return this.request(OP.setData, Buffer.concat([text(path), text(data), int32(ANY_VERSION)]));
  }

  /** The names of its children. Empty if it does not exist. */
  async children(path: string): Promise<readonly string[]> {
    const { body, error } = await this.request(OP.getChildren, Buffer.concat([text(path), Buffer.alloc(1)]));
    return error === 0 ? textsOf(body) : [];
  }

  /** Removes the node with all nodes below it, and those that others create meanwhile, unless they go on for long. */
  async removeAll(path: string): Promise<void> {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      for (const name of await this.children(path)) await this.removeAll(`${path}/${name}`);
      if ((await this.remove(path)).error !== NOT_EMPTY) return;
    }
  }

  remove(path: string): Promise<RawReply> {
    return this.request(OP.delete, Buffer.concat([text(path), int32(ANY_VERSION)]));
  }

  /** @param acl ZooKeeper's bits, for everyone; or entries */
  setAcl(path: string, acl: number | RawAcl): Promise<RawReply> {
    const entries = typeof acl === 'number' ? open(acl) : acl;
    return this.request(OP.setAcl, Buffer.concat([text(path), aclBytes(entries), int32(ANY_VERSION)]));
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

function open(permissions: number): RawAcl {
  return [{ permissions, scheme: 'world', id: 'anyone' }];
}

function aclBytes(acl: RawAcl): Buffer {
  const entries = acl.map(({ permissions, scheme, id }) => [int32(permissions), text(scheme), text(id)]);
  return Buffer.concat([int32(acl.length), ...entries.flat()]);
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

function textsOf(body: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 4; texts.length < body.readInt32BE();) {
    const end = at + 4 + body.readInt32BE(at);
    texts.push(body.toString('utf8', at + 4, end));
    at = end;
  }
  return texts;
}

function text(value: string): Buffer {
  return bytes(Buffer.from(value));
}

function bytes(value: Buffer): Buffer {
  return Buffer.concat([int32(value.length), value]);
}
