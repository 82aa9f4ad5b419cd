/** Header of every request of a client but the first frame, which is the handshake. */
export interface RequestHeader {
  readonly xid: number;
  /** The op code. */
  readonly type: number;
}

/** ZooKeeper's op codes that tests name. */
export const OP = {
  create: 1,
  delete: 2,
  exists: 3,
  getData: 4,
  setData: 5,
  getAcl: 6,
  setAcl: 7,
  auth: 100,
  getChildren: 8,
  ping: 11,
  multi: 14,
  create2: 15,
  createContainer: 19,
  deleteContainer: 20,
  createTtl: 21,
  multiRead: 22,
  sasl: 102,
  closeSession: -11,
} as const;

const WRITES: ReadonlySet<number> = new Set([
  OP.create,
  OP.delete,
  OP.setData,
  OP.setAcl,
  OP.multi,
  OP.create2,
  OP.createContainer,
  OP.deleteContainer,
  OP.createTtl,
]);

/** True if the request changes nodes. */
export function isWrite({ type }: RequestHeader): boolean {
  return WRITES.has(type);
}

const INT_BYTES = 4;
const HEADER_BYTES = 8;
/** Offset of the error, after the number of the request and the transaction's id. */
const REPLY_ERROR_AT = 12;
/** Longest frame of ZooKeeper. A longer one is a four letter word read as a length, or TLS. */
const LONGEST = 64 * 1024 * 1024;

/** The payload with its length before it. */
export function frame(payload: Buffer): Buffer {
  return Buffer.concat([int32(payload.length), payload]);
}

/** Four bytes, big-endian. */
export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(INT_BYTES);
  bytes.writeInt32BE(value);
  return bytes;
}

/** The payload of a frame. */
export function payloadOf(whole: Buffer): Buffer {
  return whole.subarray(INT_BYTES);
}

/** The first two fields of a request; undefined if the frame is too short for them. */
export function requestHeader(whole: Buffer): RequestHeader | undefined {
  const payload = payloadOf(whole);
  if (payload.length < HEADER_BYTES) return undefined;
  return { xid: payload.readInt32BE(), type: payload.readInt32BE(4) };
}

/** The number of the request that a reply answers. Negative for a frame without a request. */
export function replyXid(whole: Buffer): number | undefined {
  return whole.length < INT_BYTES * 2 ? undefined : whole.readInt32BE(INT_BYTES);
}

/** A request without effect, under the number of another one. */
export function harmlessRequest(xid: number): Buffer {
  const path = Buffer.from('/');
  return frame(Buffer.concat([int32(xid), int32(OP.exists), int32(path.length), path, Buffer.alloc(1)]));
}

/** The reply, with that error in place of its own. */
export function withError(reply: Buffer, code: number): Buffer {
  return frame(Buffer.concat([payloadOf(reply).subarray(0, REPLY_ERROR_AT), int32(code)]));
}

/** Cuts a stream at the ends of its frames. A stream that has none is passed on as it comes. */
export class FrameSplitter {
  #rest: Buffer = Buffer.alloc(0);
  #framed = true;

  /** @returns the frames that are complete now, lengths included */
  push(chunk: Buffer): readonly Buffer[] {
    if (!this.#framed) return [chunk];
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const frames: Buffer[] = [];
    while (this.#rest.length >= INT_BYTES) {
      const length = this.#rest.readInt32BE();
      if (length < 0 || length > LONGEST) {
        this.#framed = false;
        return [...frames, this.#rest];
      }
      if (this.#rest.length < INT_BYTES + length) break;
      frames.push(this.#rest.subarray(0, INT_BYTES + length));
      this.#rest = this.#rest.subarray(INT_BYTES + length);
    }
    return frames;
  }
}
