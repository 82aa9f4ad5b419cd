import { type Clock, SystemClock, type Timer } from '../../clock/index.js';
import {
  ElasticJobError,
  type FindPropsFaults,
  HiddenText,
  type JobName,
  type JobType,
  type PropTargets,
  type ShardingContext,
  targetsAmong,
} from '../../domain/index.js';
import { fetchFault, rootCause } from '../fetch-fault.js';
import { shardingContextHeader } from '../sharding-context-json.js';
import { findHttpFaults, HTTP_PROPS, type HttpSettings, readHttpProps } from './http.props.js';

/** Statuses that name another address. */
const REDIRECTS = [301, 302, 303, 307, 308];
/** Most characters of a failed answer's body that its error keeps. */
const KEPT_BODY = 1_000;

/**
 * Sends one request for each item: ElasticJob's `HTTP` jobs, with the same props. The item is done when the answer is
 * complete.
 *
 * - The header `shardingContext` holds the context, as Java sends it. `elastic-job-token` holds the fencing token and
 *   `elastic-job-token-epoch` its epoch, for a service that refuses stale writers.
 * - A status of 400 or above fails the item; Java only logs it. A redirect, which Java follows, fails it as well: the
 *   destination of the request is for the process to decide.
 * - The time until the answer begins is limited by the sum of Java's connect and read time-outs, since `fetch` does not
 *   show when it has connected. From then on the read time-out limits each silence.
 * - PATCH sends `http.data`, as POST, PUT and DELETE do.
 *
 * Props:
 * - `http.uri` (required): absolute address, without a user or password. The registry's is followed only to origins of
 *   the module's `allowRegistryTargets`, and with it the registry's method, body and content type.
 * - `http.method` (required): GET, HEAD, POST, PUT, DELETE, OPTIONS or PATCH.
 * - `http.data` (none): body of the request.
 * - `http.content.type` (application/x-www-form-urlencoded with a body): header `content-type`.
 * - `http.connect.timeout.milliseconds` (3000): part of the time until the answer begins.
 * - `http.read.timeout.milliseconds` (5000): the other part of it, and longest silence of the answer.
 * @see ElasticJob, `HttpJobExecutor`
 */
export class HttpJobType implements JobType {
  readonly type = 'HTTP';
  readonly targets: PropTargets = targetsAmong(HTTP_PROPS);
  readonly findFaults: FindPropsFaults = findHttpFaults;

  constructor(private readonly clock: Clock = new SystemClock()) {}

  /** @throws {HttpJobError} @throws the signal's reason */
  async execute(context: ShardingContext): Promise<void> {
    const settings = readHttpProps(context.props);
    const { connectTimeoutMs, readTimeoutMs } = settings;
    const silence = new SilenceTimer(this.clock, context.signal, connectTimeoutMs + readTimeoutMs);
    try {
      const response = await send(context, settings, silence.signal);
      const body = await readToEnd(response, () => silence.limit(readTimeoutMs));
      if (response.status >= 400 || REDIRECTS.includes(response.status))
        throw refusal(context, settings, response.status, body);
    } catch (error) {
      throw failure(context, settings, silence.elapsedMs, error);
    } finally {
      silence.stop();
    }
  }
}

function send(context: ShardingContext, settings: HttpSettings, signal: AbortSignal): Promise<Response> {
  const { uri, method, body, contentType } = settings;
  const { token, tokenEpoch } = context;
  const headers = new Headers({
    shardingContext: shardingContextHeader(context),
    // Reusing a connection that the server is about to close would fail an item now and then.
    connection: 'close',
  });
  if (contentType !== undefined) headers.set('content-type', contentType);
  if (token !== undefined) {
    headers.set('elastic-job-token', String(token));
    headers.set('elastic-job-token-epoch', String(tokenEpoch));
  }
  return fetch(uri, { method, body, headers, signal, redirect: 'manual' });
}

/** @returns the beginning of the body */
async function readToEnd({ body }: Response, onChunk: () => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  onChunk();
  for await (const chunk of body ?? []) {
    onChunk();
    if (text.length < KEPT_BODY) text += decoder.decode(chunk, { stream: true });
  }
  return text.slice(0, KEPT_BODY);
}

function refusal(context: ShardingContext, settings: HttpSettings, status: number, body: string): HttpJobError {
  const redirect = REDIRECTS.includes(status) ? ', a redirect, which is not followed' : '';
  const detail = `was answered with status ${status}${redirect}`;
  return new HttpJobError(context.jobName, context.shardingItem, shown(settings), detail, { status, body });
}

/** The error of a request, with the request's name. The reason of the item's signal stays as it is. */
function failure(
  context: ShardingContext,
  settings: HttpSettings,
  elapsedMs: number | undefined,
  error: unknown,
): unknown {
  const { jobName, shardingItem, signal } = context;
  if (signal.aborted) return signal.reason;
  if (error instanceof HttpJobError) return error;
  const detail = elapsedMs === undefined ? `failed: ${rootCause(error)}` : `was silent for ${elapsedMs} ms`;
  return new HttpJobError(jobName, shardingItem, shown(settings), detail, { cause: fetchFault(error) });
}

function shown({ method, uri }: HttpSettings): string {
  const { origin, pathname } = new URL(uri);
  return `${method} ${origin}${pathname}`;
}

/** Ends a request after too long a silence, or when its item is to stop. */
class SilenceTimer {
  readonly signal: AbortSignal;
  private readonly ending = new AbortController();
  private timer: Timer;
  private endedAfterMs: number | undefined;

  constructor(
    private readonly clock: Clock,
    itemSignal: AbortSignal,
    firstLimitMs: number,
  ) {
    this.signal = AbortSignal.any([itemSignal, this.ending.signal]);
    this.timer = this.start(firstLimitMs);
  }

  /** Length of the silence that was too long, in milliseconds; undefined if there was none. */
  get elapsedMs(): number | undefined {
    return this.endedAfterMs;
  }

  /** Restarts the silence after a sign of life, with this limit from now on. */
  limit(ms: number): void {
    this.timer.cancel();
    this.timer = this.start(ms);
  }

  stop(): void {
    this.timer.cancel();
  }

  private start(ms: number): Timer {
    return this.clock.setTimer(ms, () => {
      this.endedAfterMs = ms;
      this.ending.abort();
    });
  }
}

/** Facts about a failed request, besides its outcome. */
export interface HttpFailure extends ErrorOptions {
  /** Undefined if there was no answer. */
  readonly status?: number;
  /** The beginning of the answer's body. */
  readonly body?: string;
}

/**
 * The request of an HTTP job was answered with a redirect or a status of 400 or above, or was not answered.
 * @remarks Look at the status and at the service that was asked. `body` holds the beginning of its answer.
 */
export class HttpJobError extends ElasticJobError {
  readonly code = 'HTTP_JOB';
  /** Undefined if there was no answer. */
  readonly status: number | undefined;
  /**
   * The beginning of the answer's body. Neither log nor message shows it, since it may hold confidential data of the
   * service.
   */
  readonly body: HiddenText | undefined;

  /** @param request `POST https://example.org/settle`: without the query, which may hold a secret */
  constructor(
    readonly jobName: JobName,
    readonly item: number,
    readonly request: string,
    detail: string,
    { status, body, ...options }: HttpFailure = {},
  ) {
    super(`Item ${item} of job "${jobName}": ${request} ${detail}`, options);
    this.status = status;
    this.body = body === undefined ? undefined : new HiddenText(body);
  }
}
