import type { Jute } from './client-library.js';
import { OP_CODE } from './op-code.js';
import type { ReplyReader } from './reply-reader.js';
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
