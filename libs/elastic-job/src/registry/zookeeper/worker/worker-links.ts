import { Worker } from 'node:worker_threads';
import type { Clock } from '../../../clock/index.js';
import { ConfigurationError, Hidden } from '../../../domain/index.js';
import { AuthenticationError } from '../../registry.errors.js';
import type { Lease } from '../../session-lease.js';
import {
  type LinkListener,
  type LinkSource,
  type Protocol,
  readTls,
  reasonOf,
  type SessionTicket,
  type TlsSettings,
} from '../wire/index.js';
import { DIAL_PAUSES } from '../session/index.js';
import type { ResolvedZooKeeperOptions } from '../zookeeper-options.js';
import { BackOff } from '../../../repeat/index.js';
import type { News, WorkerOrder, WorkerReport, WorkerSettings } from './messages.js';
import { SharedLease, sharedLeaseMemory } from './shared-lease.js';
import { type GiveOrder, WorkerLink } from './worker-link.js';

/** Location of the worker's entry, unless a bundler has moved this file. */
const ENTRY = new URL('./connection-worker.js', import.meta.url);

/** Links kept by a worker thread, and the lease shared with it. */
export function linksOfWorker(
  protocol: Protocol,
  options: ResolvedZooKeeperOptions,
  clock: Clock,
): { readonly links: WorkerLinks; readonly lease: SharedLease } {
  const { servers, sessionTimeoutMs, connectionTimeoutMs, serverTickMs, maxBlockedMs, workerUrl } = options;
  const memory = sharedLeaseMemory();
  const lease = new SharedLease(memory, clock, serverTickMs);
  const dialing = { servers, sessionTimeoutMs, connectionTimeoutMs, serverTickMs };
  const { tls, ...credentials } = options.credentials.reveal();
  const isAsked = typeof tls === 'function';
  const settings = new Hidden({
    dialing,
    credentials: { ...credentials, tls: isAsked ? ('asked' as const) : tls },
    maxBlockedMs,
    lease: memory,
  });
  const askTls = isAsked ? () => readTls(tls, credentials.requireTls) : undefined;
  return { links: new WorkerLinks(protocol, clock, lease, settings, workerUrl, askTls), lease };
}

/**
 * Links of a worker thread, which dials by itself: it keeps the session while this thread is blocked, and reports every
 * attempt and every link in order. This thread reads the reports when its session asks for the next link.
 *
 * If the worker ends, for any reason, the session ends too, and the next one gets a new worker.
 */
export class WorkerLinks implements LinkSource {
  private readonly pauses: BackOff;
  private worker?: Worker;
  /** True once the worker has reported anything. */
  private hasReported = false;
  /** Number of the session that the worker keeps or tries to get. */
  private session = 0;
  /**
   * `begun`: the worker dials for a new session; `held`: the session has had a link; `none`: the next dial must begin
   * one.
   */
  private phase: 'none' | 'begun' | 'held' = 'none';
  /** The latest link, in any state. */
  private link?: WorkerLink;
  /** Reports that are not handled yet. From the outcome of an attempt on, they wait until a link is opened. */
  private readonly inbox: News[] = [];

  /** @param entry the worker's entry, if a bundler has moved it @param askTls gives options that a function has */
  constructor(
    private readonly protocol: Protocol,
    private readonly clock: Clock,
    private readonly lease: Lease,
    private readonly settings: Hidden<WorkerSettings>,
    private readonly entry: URL = ENTRY,
    private readonly askTls?: () => Promise<TlsSettings>,
  ) {
    this.pauses = new BackOff(clock, DIAL_PAUSES);
  }

  dial(ticket: SessionTicket | undefined, listener: LinkListener): WorkerLink {
    const order: GiveOrder = (given, handedOver) => this.order(given, handedOver);
    const lastZxid = ticket && this.link ? this.link.lastZxid : 0n;
    this.link = new WorkerLink(lastZxid, this.protocol, this.clock, listener, order, () => this.attempt(ticket));
    return this.link;
  }

  hold(): void {
    this.order({ kind: 'hold', session: this.session });
  }

  /** The worker itself waits before it dials again. */
  get backOff(): BackOff | undefined {
    return this.worker === undefined ? this.pauses : undefined;
  }

  async release(): Promise<void> {
    const { worker } = this;
    this.forget();
    await worker?.terminate();
  }

  private attempt(ticket: SessionTicket | undefined): void {
    if (!ticket && this.phase !== 'begun') this.begin();
    else if (this.phase === 'none') this.link?.expired();
    this.takeIn();
  }

  private begin(): void {
    this.session += 1;
    this.phase = 'begun';
    try {
      this.worker ??= this.start();
      this.order({ kind: 'begin', session: this.session });
    } catch (error) {
      this.lose(undefined, error);
    }
  }

  private start(): Worker {
    const worker = new Worker(this.entry, { name: 'zookeeper-connection', workerData: this.settings.reveal() });
    worker.on('message', (report: WorkerReport) => this.receive(worker, report));
    worker.on('error', (error) => this.lose(worker, error));
    worker.on('exit', (code) => this.lose(worker, new Error(`it ended with code ${code}`)));
    return worker;
  }

  private order(order: WorkerOrder, handedOver: readonly ArrayBuffer[] = []): void {
    this.worker?.postMessage(order, handedOver);
  }

  private receive(worker: Worker, report: WorkerReport): void {
    if (worker !== this.worker) return;
    this.hasReported = true;
    if (report.kind === 'news') {
      if (this.link) this.link.lastZxid = report.lastZxid;
      for (const news of report.news) this.inbox.push(news);
      return this.takeIn();
    }
    if (report.kind === 'tls?') return void this.answerTls();
    this.order({ kind: 'alive' });
    // After a long pause this may be the first message, and the worker may have given up the session.
    this.link?.mayDeliver();
  }

  private async answerTls(): Promise<void> {
    try {
      this.order({ kind: 'tls', options: (await this.askTls?.()) ?? {} });
    } catch (error) {
      // Also if the options cannot be sent to a thread, since there is a function among them.
      this.order({ kind: 'no-tls', problem: `tls: ${reasonOf(error)}` });
    }
  }

  private takeIn(): void {
    while (this.inbox.length > 0 && this.mayTake(this.inbox[0]!)) this.take(this.inbox.shift()!);
  }

  private mayTake(news: News): boolean {
    return !('session' in news) || news.session !== this.session || this.link?.isOpening === true;
  }

  private take(news: News): void {
    if ('session' in news && news.session !== this.session) return;
    switch (news.kind) {
      case 'opened':
        this.phase = 'held';
        return this.link?.opened(news.link, { ...news.ticket, password: Buffer.from(news.ticket.password) });
      case 'failed':
        return this.link?.end(
          news.refused === undefined ? new Error(news.problem) : new AuthenticationError(news.refused),
        );
      case 'expired':
        this.phase = 'none';
        return this.link?.expired();
      case 'reply':
      case 'event':
      case 'dropped':
        if (news.link === this.link?.number) this.link.take(news);
        return;
      default:
        return news satisfies never;
    }
  }

  /** Ends the session after the worker has ended. */
  private lose(worker: Worker | undefined, cause: unknown): void {
    if (worker !== this.worker) return;
    const wasHeld = this.phase === 'held';
    const problem = this.hasReported ? workerGone(cause) : workerNotStarted(this.entry, cause);
    this.forget();
    this.lease.end();
    if (wasHeld && this.link?.isOpening) this.link.expired();
    else this.link?.end(problem);
  }

  private forget(): void {
    this.worker = undefined;
    this.hasReported = false;
    this.phase = 'none';
    this.inbox.length = 0;
  }
}

function workerGone(cause: unknown): Error {
  return new Error(`the worker thread is gone: ${reasonOf(cause)}`, { cause });
}

function workerNotStarted(entry: URL, cause: unknown): ConfigurationError {
  const problem = `workerUrl: no worker thread can be started from ${entry.href} (${reasonOf(cause)})`;
  const remedy = 'bundle nestjs-elastic-job/zookeeper-worker as a file of its own and name that file in workerUrl';
  return new ConfigurationError('registry', [problem, remedy], { cause });
}
