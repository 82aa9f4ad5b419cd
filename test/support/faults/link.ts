import { Socket } from 'node:net';
import { harmlessRequest, OP, replyXid, type RequestHeader, requestHeader, withError } from './frames.js';
import { type OneWay, passOn } from './one-way.js';

/** Faults of the network, for whole connections and for single frames. */
export interface LinkFaults {
  readonly toServer: OneWay;
  readonly toClient: OneWay;
  /** Called for each request but pings. */
  readonly counts: () => void;
  /** True if the request is to be lost together with the connection. */
  readonly losesRequest: (request: RequestHeader) => boolean;
  /** A function if the reply to the request is to be lost. It is called when the reply has come and is gone. */
  readonly losesReply: (request: RequestHeader) => (() => void) | undefined;
  /** Error with which the request is answered without being done. Undefined: it is done. */
  readonly refuses: (request: RequestHeader) => number | undefined;
  /** True if the reply is to be cut in half, together with the connection. */
  readonly halvesReply: () => boolean;
}

export interface LinkOptions {
  readonly port: number;
  /** True if the server never learns of the connection. */
  readonly silent: boolean;
  readonly onClosed: () => void;
}

/** One connection of a client through the network to the server. */
export class Link {
  readonly #server = new Socket({ allowHalfOpen: true }).setNoDelay();
  #requests = 0;
  #replies = 0;
  /** Functions to call when the reply to a request is lost, by its xid. */
  readonly #doomed = new Map<number, () => void>();
  /** Errors with which requests are answered, by their xids. */
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
    // The server does not know the connection yet, so there is no side to inform.
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

  /** A connection that begins in a black hole reaches the server when that ends, if the client is still there. */
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
    // Replies come in the order of requests, so the server gets a harmless request in its place.
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
