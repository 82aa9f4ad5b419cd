/**
 * One request and its answer, between Node's HTTP server and the console. Express and Fastify both have Node's own
 * objects behind theirs, and nothing else of them is used but a body that their parser has read already.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ConsoleAnswer, ConsoleRequest, FrameSink } from '../../console/index.js';

/** A request and its reply as the framework has them. */
export interface Exchange {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  /** The framework's own request, which a function of the application knows. */
  readonly request: object;
}

/** Headers by which the application's CORS would let pages of other origins read the answer. */
const CORS = /^access-control-/;

/** Takes the reply over from the framework. */
export function exchangeOf(request: object, reply: object): Exchange {
  // Fastify sends nothing by itself from now on.
  const hijack: unknown = Reflect.get(reply, 'hijack');
  if (typeof hijack === 'function') Reflect.apply(hijack, reply, []);
  return { raw: rawOf(request), response: rawOf(reply), request };
}

/** Node's own object is behind Fastify's; Express extends it. */
function rawOf(one: object): any {
  const raw: unknown = Reflect.get(one, 'raw');
  return typeof raw === 'object' && raw !== null ? raw : one;
}

/** @param url below the path of the console */
export function requestOf({ raw, request, response }: Exchange, id: string, url: string): ConsoleRequest {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(new Error('the client has gone'));
  });
  return {
    id,
    method: raw.method ?? '',
    url,
    headers: raw.headers,
    body: (maxBytes) => bodyOf(raw, request, maxBytes),
    peer: raw.socket.remoteAddress ?? '',
    isEncrypted: Reflect.get(raw.socket, 'encrypted') === true,
    raw: request,
    signal: gone.signal,
  };
}

/** As it was sent, or as a parser of the application has left it. */
async function bodyOf(
  raw: IncomingMessage,
  request: object,
  maxBytes: number,
): Promise<Buffer | { readonly parsed: unknown }> {
  const whole: unknown = Reflect.get(request, 'rawBody');
  if (Buffer.isBuffer(whole)) return whole;
  if (raw.readableDidRead || raw.readableEnded) return { parsed: Reflect.get(request, 'body') };
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of raw.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    length += bytes.length;
    // The console refuses it by its length, and the rest stays unread.
    if (length > maxBytes) break;
  }
  return Buffer.concat(chunks);
}

/**
 * Sends an answer, unless another one was sent already.
 * @param more headers: `Date` by the console's clock, as all instants in its answers. A client whose own is wrong can
 * tell how old they are.
 */
export function send(
  answer: ConsoleAnswer,
  { raw, response }: Exchange,
  more: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.writableEnded) return;
  for (const name of response.getHeaderNames()) if (CORS.test(name)) response.removeHeader(name);
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries({ ...answer.headers, ...more })) {
    response.setHeader(name, typeof value === 'string' ? value : [...value]);
  }
  if ('open' in answer) return openStream(answer.open, { raw, response });
  const { body } = answer;
  response.end(typeof body === 'object' && !Buffer.isBuffer(body) ? JSON.stringify(body) : body);
}

function openStream(open: (sink: FrameSink) => void, { raw, response }: Pick<Exchange, 'raw' | 'response'>): void {
  // A compressing middleware would keep frames back.
  response.setHeader('cache-control', 'no-store, no-transform');
  raw.socket.setNoDelay(true);
  open({
    write: (frame) => response.write(frame),
    onDrain: (listener) => void response.on('drain', listener),
    onClose: (listener) => void response.once('close', listener),
    end: () => {
      // The end of a client that takes nothing would wait behind the frames that it has not taken.
      if (response.writableNeedDrain) response.destroy();
      else response.end();
    },
  });
  if (!response.writableEnded) response.flushHeaders();
}
