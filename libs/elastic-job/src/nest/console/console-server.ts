import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OnApplicationBootstrap, OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import type { Clock } from '../../clock/index.js';
import { BODY_LIMITS, type ConsoleApi, ConsoleProblem, PageFiles, PagePath } from '../../console/index.js';
import { ConsolePath } from './console-path.js';
import { type Exchange, exchangeOf, requestOf, send } from './http-exchange.js';
import { answerRefusals } from './parser-refusals.js';

/** The console, ready to be started. */
export interface RunningConsole {
  readonly api: ConsoleApi;
  start(): Promise<void>;
  /** Streams end at once. */
  stop(): Promise<void>;
}

interface ConsoleServerParts {
  readonly path: string;
  readonly clock: Clock;
  readonly host: HttpAdapterHost;
  /** Makes the console, once the application's prefix is known; undefined where there is none. */
  readonly create: (() => RunningConsole) | undefined;
}

/**
 * Binds the console to the application's life and to its HTTP server. Nothing of it needs the registry to start. The
 * application does: `ElasticJobModule` waits for the first session, and the start fails without one, before anybody is
 * served. If the registry goes away later, the console shows the last facts, and refuses changes by 503. It ends its
 * streams before the application closes its server, which waits for them.
 */
export class ConsoleServer implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly path: ConsolePath;
  private readonly pagePath: PagePath;
  private readonly pageFiles = new PageFiles();
  private console: RunningConsole | undefined;
  private started: Promise<void> | undefined;

  constructor(private readonly parts: ConsoleServerParts) {
    this.path = new ConsolePath(parts.path);
    this.pagePath = new PagePath(parts.path);
  }

  /** To be called before the application makes its routes. */
  beforeRoutes(): void {
    answerRefusals(this.parts.host.httpAdapter, 'before routes', this.refusals);
  }

  onModuleInit(): void {
    this.console ??= this.parts.create?.();
    answerRefusals(this.parts.host.httpAdapter, 'after routes', this.refusals);
  }

  async onApplicationBootstrap(): Promise<void> {
    // A microservice calls its hooks for `init` and again for `listen`.
    this.started ??= this.start();
    await this.started;
  }

  async onModuleDestroy(): Promise<void> {
    this.server()?.off('request', this.limitBody);
    await this.console?.stop();
  }

  /** Answers a request. Never throws. */
  async answer(request: object, reply: object): Promise<void> {
    const exchange = exchangeOf(request, reply);
    const asked = this.requestOf(exchange);
    if (asked === undefined || this.console === undefined) return void exchange.response.writeHead(404).end();
    const date = new Date(this.parts.clock.wallNow()).toUTCString();
    send(await this.console.api.handle(asked), exchange, { date });
  }

  /** Answers a request for the page. Never throws. */
  async answerPage(request: object, reply: object): Promise<void> {
    const exchange = exchangeOf(request, reply);
    const { headers, method = '', url = '' } = exchange.raw;
    const found = this.console && this.pagePath.find(url);
    if (found === undefined) return void exchange.response.writeHead(404).end();
    send(await this.pageFiles.answer(found, { headers, method }), exchange);
  }

  private async start(): Promise<void> {
    this.server()?.on('request', this.limitBody);
    await this.console?.start();
  }

  private server() {
    const adapter: HttpAdapterHost['httpAdapter'] | undefined = this.parts.host.httpAdapter;
    const server: unknown = adapter?.getHttpServer?.();
    return isServer(server) ? server : undefined;
  }

  private requestOf(exchange: Exchange) {
    const url = this.path.below(exchange.raw.url ?? '');
    return url === undefined ? undefined : requestOf(exchange, this.parts.clock.uuid(), url);
  }

  /** Answers for a parser of the application, or for its router, which has refused a request. */
  private readonly refusals = {
    isOurs: (url: string) => this.path.below(url) !== undefined,
    refuse: (problem: ConsoleProblem, request: object, reply: object) =>
      this.refuse(problem, exchangeOf(request, reply)),
  };

  private refuse(problem: ConsoleProblem, exchange: Exchange): void {
    const asked = this.requestOf(exchange);
    if (asked !== undefined && this.console !== undefined) send(this.console.api.refuse(problem, asked), exchange);
  }

  /**
   * A parser of the application waits for a body as long as Node does, which is minutes. So the time counts here, from
   * the end of the headers.
   */
  private readonly limitBody = (raw: IncomingMessage, response: ServerResponse): void => {
    if (raw.complete || this.path.below(raw.url ?? '') === undefined) return;
    const { withinMs } = BODY_LIMITS;
    const timer = this.parts.clock.setTimer(withinMs, () => {
      if (raw.complete || response.headersSent) return;
      const detail = `The body has not come within ${withinMs} ms.`;
      const problem = new ConsoleProblem(408, 'TIMEOUT', detail, {}, { connection: 'close' });
      this.refuse(problem, { raw, response, request: raw });
    });
    for (const end of ['end', 'close']) raw.once(end, () => timer.cancel());
  };
}

interface HttpServer {
  on(event: 'request', listener: (raw: IncomingMessage, response: ServerResponse) => void): void;
  off(event: 'request', listener: (raw: IncomingMessage, response: ServerResponse) => void): void;
}

function isServer(server: unknown): server is HttpServer {
  return ['on', 'off'].every((method) => typeof Reflect.get(Object(server), method) === 'function');
}
