import { type Jute, OP_CODE } from './client-library.js';
import { ReplyReader } from './reply-reader.js';
import type { RequestBody } from './request.js';

/** Lets a later connection continue the session of an earlier one. */
export interface SessionTicket {
  /** The id, as in `SessionInfo`. */
  readonly id: string;
  readonly password: Buffer;
  /** Session timeout that the server granted, in milliseconds. */
  readonly timeoutMs: number;
}

/** Special numbers of replies and events that belong to no request. */
export const XID = { EVENT: -1, PING: -2, AUTH: -4 } as const;

const PASSWORD_BYTES = 16;

/** Encodes the frames of a connection. */
export class FrameWriter {
  /** A ping: asks if the session is alive, and keeps it alive. */
  readonly ping: Buffer;

  constructor(private readonly jute: Jute) {
    this.ping = this.frame(XID.PING, OP_CODE.PING, null);
  }

  request(xid: number, { opCode, payload }: RequestBody): Buffer {
    return this.frame(xid, opCode, payload);
  }

  /**
   * The first frame of a connection.
   * @param ticket the session to continue; undefined: a new one
   * @param lastZxid latest transaction that this session has seen; a server that is behind it refuses
   */
  connect(ticket: SessionTicket | undefined, sessionTimeoutMs: number, lastZxid: bigint): Buffer {
    const { PROTOCOL_VERSION, protocol, Request: JuteRequest } = this.jute;
    const id = long(BigInt(`0x${ticket?.id ?? '0'}`));
    const password = ticket?.password ?? Buffer.alloc(PASSWORD_BYTES);
    const record = new protocol.ConnectRequest(PROTOCOL_VERSION, long(lastZxid), sessionTimeoutMs, id, password);
    return new JuteRequest(null, record).toBuffer();
  }

  /** @param digest `user:password` */
  auth(digest: string): Buffer {
    return this.frame(XID.AUTH, OP_CODE.AUTH, new this.jute.protocol.AuthPacket(0, 'digest', Buffer.from(digest)));
  }

  private frame(xid: number, opCode: number, payload: RequestBody['payload']): Buffer {
    return new this.jute.Request(new this.jute.protocol.RequestHeader(xid, opCode), payload).toBuffer();
  }
}

/** Decodes the server's first frame. @returns the session, or undefined if the requested one is over */
export function readConnected(reply: ReplyReader): SessionTicket | undefined {
  reply.int(); // protocol version
  const timeoutMs = reply.int();
  const id = BigInt.asUintN(64, reply.long()).toString(16);
  const password = reply.bytes();
  return timeoutMs > 0 ? { id, password, timeoutMs } : undefined;
}

function long(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}

const LENGTH_BYTES = 4;
/** Shortest reply in bytes: the length of its header. */
const SHORTEST_BYTES = 16;

/** Cuts the bytes of a socket into ZooKeeper's frames: a length of four bytes, then as many bytes. */
export class FrameReader {
  private chunks: Buffer[] = [];
  private bytes = 0;
  /** Bytes needed before the next step. */
  private needed = LENGTH_BYTES;

  /** @param longestBytes a frame that announces more is garbage, and is not waited for */
  constructor(private readonly longestBytes: number) {}

  /**
   * Adds a chunk.
   * @returns the frames that are now complete, without their lengths; all by one reader, which goes on with the next
   * @throws {RangeError} for an impossible length
   */
  *read(chunk: Buffer): Generator<ReplyReader, void> {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    // Joined only when a step is possible. Otherwise a reply in many chunks would be copied many times.
    if (this.bytes < this.needed) return;
    const all = this.chunks.length === 1 ? chunk : Buffer.concat(this.chunks, this.bytes);
    const reader = new ReplyReader(all);
    let start = 0;
    while (all.length - start >= this.needed) {
      if (this.needed === LENGTH_BYTES) {
        this.needed += this.frameBytes(all, start);
        continue;
      }
      const end = start + this.needed;
      reader.turnTo(start + LENGTH_BYTES, end);
      start = end;
      this.needed = LENGTH_BYTES;
      yield reader;
    }
    this.bytes = all.length - start;
    this.chunks = this.bytes > 0 ? [all.subarray(start)] : [];
  }

  private frameBytes(all: Buffer, start: number): number {
    const bytes = all.readInt32BE(start);
    if (bytes >= SHORTEST_BYTES && bytes <= this.longestBytes) return bytes;
    throw new RangeError(`the server announced a reply of ${bytes} bytes`);
  }
}
