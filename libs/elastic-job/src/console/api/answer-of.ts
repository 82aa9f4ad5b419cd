import { createHash } from 'node:crypto';
import { tagOf } from '../changes/index.js';
import type { ConsoleAnswer, ConsoleRequest, FrameSink, ProblemAnswer, WholeAnswer } from '../contract/index.js';
import { csvOf } from '../history/index.js';
import { type ConsoleRoute, type Routed, WithHeaders } from './route.js';

type Headers = WholeAnswer['headers'];

interface Asked {
  readonly request: ConsoleRequest;
  readonly route: ConsoleRoute;
  /** Hides what the caller may not see. */
  readonly hide: (value: unknown) => unknown;
  /** True if its rows are wanted as a table. */
  readonly isCsv: boolean;
}

const JSON_TYPE = 'application/json; charset=utf-8';
/** No answer runs, is kept or is shown within another site. */
const ALWAYS: Headers = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** The answer over HTTP to what a route's code has answered. */
export function answerOf(answer: unknown, asked: Asked): ConsoleAnswer {
  const { request, route } = asked;
  const { answer: value, headers } = answer instanceof WithHeaders ? answer : new WithHeaders(answer, {});
  const all = { ...ALWAYS, 'x-request-id': request.id, ...headers };
  if (value === undefined) return { status: route.status, headers: all, body: undefined };
  if (isOpening(value)) return streamOf(value, all, asked);
  if (typeof value === 'string') {
    const isText = route.answer.includes('text');
    return tagged(value, { ...all, 'content-type': isText ? 'text/plain; charset=utf-8' : JSON_TYPE }, asked);
  }
  if (asked.isCsv) return tableOf(asked.hide(value), all, asked);
  return tagged(
    JSON.stringify(asked.hide(value)),
    { ...all, ...versionTag(value, route), 'content-type': JSON_TYPE },
    asked,
  );
}

/** True for `?format=csv`, and for `Accept: text/csv` unless JSON is named before it, of a route that has tables. */
export function wantsCsv({ headers }: ConsoleRequest, { query, route }: Pick<Routed, 'query' | 'route'>): boolean {
  if (route.csv === undefined) return false;
  const format = query.get('format');
  if (format !== null) return format === 'csv';
  const types = String(headers['accept'] ?? '')
    .toLowerCase()
    .split(',');
  const named = types.map((type) => type.split(';')[0]!.trim());
  return named.find((type) => type === 'text/csv' || type === 'application/json') === 'text/csv';
}

function tableOf(value: unknown, headers: Headers, asked: Asked): WholeAnswer {
  const { csv = [], path } = asked.route;
  const items: unknown = Reflect.get(Object(value), 'items');
  const rows = Array.isArray(items) ? items.map((item: unknown): object => Object(item)) : [];
  const name = path.slice(path.lastIndexOf('/') + 1);
  const own = {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${name}.csv"`,
  };
  return tagged(csvOf(rows, csv), { ...headers, ...placeOf(value), ...own }, asked);
}

/** The rest of a list, which a table has no place for. */
function placeOf(value: unknown): Headers {
  const { asOf, cursor, stale }: { asOf?: unknown; cursor?: unknown; stale?: unknown } = Object(value);
  return {
    ...(typeof cursor === 'string' && { 'x-cursor': cursor }),
    ...(typeof asOf === 'string' && { 'x-as-of': asOf }),
    'x-stale': String(stale === true),
  };
}

/** The answer over HTTP to a request that was not followed. */
export function problemAnswer(problem: ProblemAnswer, headers: Headers, { id, method }: ConsoleRequest): ConsoleAnswer {
  const own = { 'x-request-id': id, 'content-type': 'application/problem+json; charset=utf-8' };
  const body = method === 'HEAD' ? undefined : JSON.stringify(problem);
  return { status: problem.status, headers: { ...ALWAYS, ...headers, ...own }, body };
}

/** The version of settings is the tag that a change of them names. */
function versionTag(value: unknown, { answer }: ConsoleRoute): Headers {
  const version: unknown = Reflect.get(Object(value), 'version');
  const isVersioned = answer.some((name) => name === 'ConfigAnswer' || name === 'ConfigChangedAnswer');
  return isVersioned && typeof version === 'number' ? { etag: tagOf(version) } : {};
}

/**
 * An answer that the client has already is not sent again. The version of settings does not tell that: another role
 * sees more of them, and those of a job that was made anew have the same versions again.
 */
function tagged(body: string, headers: Headers, { request, route }: Asked): WholeAnswer {
  if (route.method !== 'GET') return { status: route.status, headers, body };
  const digest = `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const sent = { etag: digest, ...headers };
  if (sent.etag === digest && isKnown(request, digest)) return { status: 304, headers: sent, body: undefined };
  return { status: route.status, headers: sent, body: request.method === 'HEAD' ? undefined : body };
}

/** A weak comparison. */
function isKnown({ headers }: ConsoleRequest, etag: string): boolean {
  const known = headers['if-none-match'];
  if (typeof known !== 'string') return false;
  const bare = (tag: string) => tag.trim().replace(/^W\//, '');
  return known.split(',').some((tag) => bare(tag) === bare(etag));
}

function isOpening(value: unknown): value is (sink: FrameSink) => void {
  return typeof value === 'function';
}

function streamOf(open: (sink: FrameSink) => void, headers: Headers, { request }: Asked): ConsoleAnswer {
  const sent = { ...headers, 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' };
  if (request.method === 'HEAD') return { status: 200, headers: sent, body: undefined };
  return { status: 200, headers: sent, open };
}
