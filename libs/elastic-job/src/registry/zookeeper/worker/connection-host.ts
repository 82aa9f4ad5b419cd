import type { MessagePort } from 'node:worker_threads';
import { type Clock, SystemClock, type Timer } from '../../../clock/index.js';
import { Batch, Hidden } from '../../../domain/index.js';
import { Dialer } from '../session/index.js';
import { FrameWriter, loadJute, Protocol, type TlsSettings } from '../wire/index.js';
import { type News, pack, RawPayload, type WorkerOrder, type WorkerReport, type WorkerSettings } from './messages.js';
import { SessionKeeper } from './session-keeper.js';
import { SharedLease } from './shared-lease.js';

/**
 * The worker thread's side: keeps the connection that the main thread orders, and reports events in batches, one per
 * turn.
 */
export class ConnectionHost {
  private readonly clock = new SystemClock();
  private readonly lease: SharedLease;
  private readonly dialer: Dialer;
  private readonly heartbeat: Heartbeat;
  private keeper?: SessionKeeper;
  private links = 0;
  private readonly news = new Batch<News>();
  private readonly tls = new AskedTls(this.clock, () => this.report({ kind: 'tls?' }));

  constructor(
    private readonly port: MessagePort,
    settings: WorkerSettings,
  ) {
    this.lease = new SharedLease(settings.lease, this.clock, settings.dialing.serverTickMs);
    const jute = loadJute();
    const protocol = new Protocol(jute, false); // writes only the end of a session here
    const { tls } = settings.credentials;
    const credentials = { ...settings.credentials, tls: tls === 'asked' ? () => this.tls.read() : tls };
    const dialing = { ...settings.dialing, credentials: new Hidden(credentials) };
    this.dialer = new Dialer(protocol, new FrameWriter(jute), dialing, this.clock, this.lease);
    this.heartbeat = new Heartbeat(
      this.clock,
      settings.maxBlockedMs,
      () => this.report({ kind: 'alive?' }),
      () => this.keeper?.giveUp(),
    );
  }

  /** Starts obeying orders. Earlier orders are not lost. */
  listen(): void {
    this.port.on('message', (order: WorkerOrder) => this.obey(order));
  }

  private obey(order: WorkerOrder): void {
    switch (order.kind) {
      case 'begin':
        return this.begin(order.session);
      case 'hold':
        return this.keeper?.hold(order.session);
      case 'requests':
        return this.keeper?.send(order.link, order.requests);
      case 'abandon':
        return this.keeper?.abandon(order.link);
      case 'alive':
        return this.heartbeat.answered();
      case 'tls':
        return this.tls.answered(order.options);
      case 'no-tls':
        return this.tls.answered(new Error(order.problem));
      default:
        return order satisfies never;
    }
  }

  private begin(session: number): void {
    this.keeper?.stop();
    const nextLink = () => (this.links += 1);
    this.keeper = new SessionKeeper(session, this.dialer, this.clock, this.lease, nextLink, (news) =>
      this.enqueue(news),
    );
    void this.keeper.run();
    this.heartbeat.start();
  }

  private enqueue(news: News): void {
    if (this.news.add(news) === 1) process.nextTick(() => this.flush());
  }

  private flush(): void {
    const news = this.news.take();
    const { parts, memory } = pack(news.map((one) => (one.kind === 'reply' ? new RawPayload(one.body) : null)));
    const packed = news.map((one, index) => (one.kind === 'reply' ? { ...one, body: parts[index]! } : one));
    this.report({ kind: 'news', news: packed, lastZxid: this.keeper?.lastZxid ?? 0n }, [memory]);
  }

  private report(report: WorkerReport, handedOver: readonly ArrayBuffer[] = []): void {
    this.port.postMessage(report, handedOver);
  }
}

/** Number of questions to the other thread within `maxBlockedMs`. */
const BEATS = 8;

/**
 * Asks another thread repeatedly if its event loop still runs, and reports when it has not answered for `maxBlockedMs`,
 * or up to an eighth longer. Only this thread's own time counts, so a pause of the whole process blames no thread.
 */
export class Heartbeat {
  private timer?: Timer;
  private isAsked = false;
  private unanswered = 0;

  constructor(
    private readonly clock: Clock,
    private readonly maxBlockedMs: number,
    private readonly ask: () => void,
    private readonly giveUp: () => void,
  ) {}

  /** Starts anew, also after `giveUp` was called. */
  start(): void {
    this.answered();
    this.wait();
  }

  answered(): void {
    this.isAsked = false;
    this.unanswered = 0;
  }

  stop(): void {
    this.timer?.cancel();
  }

  private wait(): void {
    this.timer?.cancel();
    this.timer = this.clock.setTimer(this.maxBlockedMs / BEATS, () => this.beat());
  }

  private beat(): void {
    if (this.isAsked) this.unanswered += 1;
    if (this.unanswered === BEATS) return this.giveUp();
    this.wait();
    if (this.isAsked) return;
    this.isAsked = true;
    this.ask();
  }
}

/** Milliseconds after which a main thread without an answer counts as blocked. */
const ANSWER_MS = 500;

/**
 * Options of TLS that a function of the main thread gives, asked for each connection. While that thread is blocked, its
 * latest options stand, since the session must be kept meanwhile.
 */
class AskedTls {
  private latest: TlsSettings | undefined;
  private answer: ((settings: TlsSettings | Error) => void) | undefined;

  constructor(
    private readonly clock: Pick<Clock, 'setTimer'>,
    private readonly ask: () => void,
  ) {}

  /** @throws the error of the function. Without any options it waits, up to the limit of the attempt */
  read(): Promise<TlsSettings> {
    return new Promise((resolve, reject) => {
      const timer = this.clock.setTimer(ANSWER_MS, () => this.latest && resolve(this.latest));
      this.answer = (settings) => {
        timer.cancel();
        if (settings instanceof Error) reject(settings);
        else resolve((this.latest = settings));
      };
      this.ask();
    });
  }

  answered(settings: TlsSettings | Error): void {
    this.answer?.(settings);
  }
}
