import { Socket } from 'node:net';
import { harmlessRequest, OP, replyXid, type RequestHeader, requestHeader, withError } from './frames.js';
import { type OneWay, passOn } from './one-way.js';

/** What the network has in store for whole connections and for single frames. */
export interface LinkFaults {
  readonly toServer: OneWay;
  readonly toClient: OneWay;
  /** Hears of each request but pings. */
  readonly counts: () => void;
  /** Whether the request is to be lost together with the connection. */
  readonly losesRequest: (request: RequestHeader) => boolean;
  /** Whether the reply to the request is; if so, the result is called when it has come and gone. */
  readonly losesReply: (request: RequestHeader) => (() => void) | undefined;
  /** The error that the request is answered with, without being done; undefined: it is done. */
  readonly refuses: (request: RequestHeader) => number | undefined;
  /** Whether the reply is to be cut in half, together with the connection. */
  readonly halvesReply: () => boolean;
}

export interface LinkOptions {
  readonly port: number;
  /** Whether the server never hears of the connection. */
  readonly silent: boolean;
  readonly onClosed: () => void;
}

/** One connection of a client through the network to the server. */
export class Link {
  readonly #server = new Socket({ allowHalfOpen: true }).setNoDelay();
  #requests = 0;
  #replies = 0;
  /** What to call when the reply to a request, by its xid, is lost. */
  readonly #doomed = new Map<number, () => void>();
  /** The errors that requests are answered with, by their xids. */
  readonly #refused = new Map<number, number>();

  constructor(
    private readonly client: Socket,
    private readonly faults: LinkFaults,
    { port, silent, onClosed }: LinkOptions,
  ) {
    const { toServer, toClient } = faults;
    const ready = silent ? new Promise<void>(() => {}) : this.#dial(port);
    passOn(toServer, { from: client, to: this.#server, ready, pass: (frame) => this.#request(frame) });
    passOn(toClient, { from: this.#server, to: client, ready, pass: (frame) => this.#reply(frame) });
    // Nobody is there yet whom to tell of it.
    const leave = () => {
      if (!this.#server.connecting && this.#server.pending) this.cut();
    };
    client.on('end', leave).on('close', leave);
    let left = 2;
    for (const socket of [client, this.#server]) {
      socket.on('close', () => {
        left -= 1;
        if (left === 0) onClosed();
      });
    }
  }

  get open(): boolean {
    return !this.client.destroyed;
  }

  cut(): void {
    this.client.destroy();
    this.#server.destroy();
  }

  /** What begins in a black hole begins for the server when it can be heard, if the client is still there. */
  async #dial(port: number): Promise<void> {
    await this.faults.toServer.untilOpen();
    await this.faults.toClient.untilOpen();
    if (!this.client.destroyed) this.#server.connect(port, '127.0.0.1');
  }

  #request(frame: Buffer): void {
    this.#requests += 1;
    const header = this.#requests > 1 ? requestHeader(frame) : undefined;
    if (header && header.type !== OP.ping) this.faults.counts();
    if (header && this.faults.losesRequest(header)) {
      this.cut();
      return;
    }
    const gone = header && this.faults.losesReply(header);
    if (gone) this.#doomed.set(header.xid, gone);
    const error = header && this.faults.refuses(header);
    if (error !== undefined) this.#refused.set(header!.xid, error);
    // Replies come in the order of requests, so the server is asked for something.
    if (this.#server.writable) this.#server.write(error === undefined ? frame : harmlessRequest(header!.xid));
  }

  #reply(frame: Buffer): void {
    this.#replies += 1;
    const xid = this.#replies > 1 ? replyXid(frame) : undefined;
    const gone = xid === undefined ? undefined : this.#doomed.get(xid);
    if (gone) {
      this.cut();
      gone();
    } else if (xid !== undefined && xid >= 0 && this.client.writable && this.faults.halvesReply()) {
      this.client.end(frame.subarray(0, frame.length / 2));
      this.#server.destroy();
    } else if (this.client.writable) {
      this.client.write(xid === undefined ? frame : this.#answer(xid, frame));
    }
  }

  #answer(xid: number, reply: Buffer): Buffer {
    const error = this.#refused.get(xid);
    this.#refused.delete(xid);
    return error === undefined ? reply : withError(reply, error);
  }
}
