import { createServer, type Server, type Socket } from 'node:net';
import { freePort, listen } from '../zookeeper/loopback.js';
import { isWrite, type RequestHeader } from './frames.js';
import { Link, type LinkFaults } from './link.js';
import { OneWay } from './one-way.js';

export interface ProxyCounters {
  /** Number of connections that clients have made so far. */
  readonly connections: number;
  /** Number of open connections. */
  readonly open: number;
  /** Number of requests of clients, passed on or not. Handshakes and pings do not count. */
  readonly requests: number;
  /** Bytes of clients, passed on or not. */
  readonly bytesToServer: number;
  /** Bytes of the server, passed on or not. */
  readonly bytesToClient: number;
}

/** Chooses a request. */
export type RequestChoice = (request: RequestHeader) => boolean;

interface Ambush {
  readonly matches: RequestChoice;
  readonly sprung: (request: RequestHeader) => void;
}

/**
 * A network between clients and one server, which can be broken. It knows frames and request headers of ZooKeeper's
 * protocol. Other streams, such as TLS, pass as well.
 *
 * Loopback offers no lost SYN: while the network is a black hole, a connection is accepted and silent.
 */
export class FaultProxy {
  readonly #toServer = new OneWay();
  readonly #toClient = new OneWay();
  readonly #links = new Set<Link>();
  readonly #faults: LinkFaults = {
    counts: () => void (this.#requests += 1),
    toServer: this.#toServer,
    toClient: this.#toClient,
    losesRequest: (request) => this.#losesRequest(request),
    losesReply: (request) => this.#losesReply(request),
    halvesReply: () => this.#halvesReply(),
    refuses: (request) => (this.#refusal?.matches(request) ? this.#refusal.code : undefined),
  };
  #listener: Server | undefined;
  #silent = false;
  #connections = 0;
  #requests = 0;
  #requestAmbush: Ambush | undefined;
  #replyAmbush: Ambush | undefined;
  #halved: (() => void) | undefined;
  #refusal: { readonly code: number; readonly matches: RequestChoice } | undefined;

  constructor(
    private readonly targetPort: number,
    readonly port: number,
  ) {}

  /** The server list for clients. */
  get connect(): string {
    return `127.0.0.1:${this.port}`;
  }

  get counters(): ProxyCounters {
    return {
      connections: this.#connections,
      requests: this.#requests,
      open: [...this.#links].filter(({ open }) => open).length,
      bytesToServer: this.#toServer.bytes,
      bytesToClient: this.#toClient.bytes,
    };
  }

  /** Breaks every connection once; the next one is fine. */
  cut(): void {
    for (const link of this.#links) link.cut();
  }

  /** Refuses new connections. Open ones live on; `cut` breaks them. */
  refuse(): void {
    this.#listener?.close();
    this.#listener = undefined;
  }

  /** Accepts connections again. */
  async accept(): Promise<void> {
    if (this.#listener) return;
    const listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#link(client));
    this.#listener = listener;
    await listen(listener, this.port);
  }

  /** Accepts new connections and never serves them, also not after `heal`, as a server does that is just starting. */
  acceptSilently(): void {
    this.#silent = true;
  }

  /** Holds everything in that direction back until `heal`, also the close of a side. */
  blackhole(way: 'both' | 'toServer' | 'toClient'): void {
    if (way !== 'toClient') this.#toServer.close();
    if (way !== 'toServer') this.#toClient.close();
  }

  /** Delays everything by that many milliseconds, each way. */
  delay(ms: number): void {
    this.#toServer.delayMs = ms;
    this.#toClient.delayMs = ms;
  }

  /** Restores a good network, without pending faults. */
  async heal(): Promise<void> {
    this.#clear();
    await this.accept();
  }

  /**
   * Passes the next chosen request to the server, drops its reply, and cuts the connection. The request is applied, and
   * the client cannot know it.
   * @param choice the request; a number n means the nth write from now
   * @returns resolves to the request when its reply is gone
   */
  dropReplyAfter(choice: RequestChoice | number = 1): Promise<RequestHeader> {
    return new Promise((sprung) => (this.#replyAmbush = { matches: asChoice(choice), sprung }));
  }

  /** Like `dropReplyAfter`, but drops the request itself. It is not applied, and the client cannot know it. */
  dropRequest(choice: RequestChoice | number = 1): Promise<RequestHeader> {
    return new Promise((sprung) => (this.#requestAmbush = { matches: asChoice(choice), sprung }));
  }

  /**
   * Answers chosen requests with that error and does not do them, as a server that refuses them, until `heal`.
   * @param code such as -127, throttled
   */
  answerWith(code: number, matches: RequestChoice = isWrite): void {
    this.#refusal = { code, matches };
  }

  /** Passes half of the next reply, then cuts the connection. Resolves after the cut. */
  cutMidFrame(): Promise<void> {
    return new Promise((resolve) => (this.#halved = resolve));
  }

  /** Ends the network. */
  async stop(): Promise<void> {
    const listener = this.#listener;
    const closed = listener && new Promise((resolve) => listener.close(resolve));
    this.#listener = undefined;
    this.cut();
    this.#clear();
    await closed;
  }

  #clear(): void {
    this.#silent = false;
    this.#requestAmbush = undefined;
    this.#replyAmbush = undefined;
    this.#halved = undefined;
    this.#refusal = undefined;
    this.delay(0);
    this.#toServer.open();
    this.#toClient.open();
  }

  #link(client: Socket): void {
    this.#connections += 1;
    const link: Link = new Link(client, this.#faults, {
      port: this.targetPort,
      silent: this.#silent,
      onClosed: () => this.#links.delete(link),
    });
    this.#links.add(link);
  }

  #losesRequest(request: RequestHeader): boolean {
    const ambush = this.#requestAmbush;
    if (!ambush?.matches(request)) return false;
    this.#requestAmbush = undefined;
    ambush.sprung(request);
    return true;
  }

  #losesReply(request: RequestHeader): (() => void) | undefined {
    const ambush = this.#replyAmbush;
    if (!ambush?.matches(request)) return undefined;
    this.#replyAmbush = undefined;
    return () => ambush.sprung(request);
  }

  #halvesReply(): boolean {
    const halved = this.#halved;
    this.#halved = undefined;
    halved?.();
    return halved !== undefined;
  }
}

/** Starts a network before the server on that loopback port. */
export async function startFaultProxy(targetPort: number): Promise<FaultProxy> {
  const proxy = new FaultProxy(targetPort, await freePort());
  await proxy.accept();
  return proxy;
}

function asChoice(choice: RequestChoice | number): RequestChoice {
  if (typeof choice !== 'number') return choice;
  let left = choice;
  return (request) => isWrite(request) && (left -= 1) === 0;
}
