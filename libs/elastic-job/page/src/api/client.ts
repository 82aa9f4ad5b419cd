/**
 * Requests to the API. A refusal is thrown as `ApiProblem`. A 401 also tells the page that its session is over: what is
 * shown and typed stays, and a dialog asks to log in again. An aborted request rejects with its `AbortError`.
 */
import { signal } from '@preact/signals';
import { urlOf } from './place.js';
import { noteDate, present } from './present.js';
import { ApiProblem, ownProblem, problemOf } from './problem.js';

const READ_MS = 20_000;
/** A change waits for the registry, which may be choosing its leader. */
const CHANGE_MS = 60_000;
/** Views that are opened at once read more than a second allows. Such a read is repeated so often. */
const MOST_REPEATS = 3;
/** A limit that lasts longer is told. */
const LONGEST_WAIT_S = 2;

type Query = Readonly<Record<string, string | number | undefined>>;

export interface ReadOptions {
  readonly query?: Query;
  /** Aborts when the view that asks is left. */
  readonly signal?: AbortSignal;
}

export interface ChangeOptions {
  readonly query?: Query;
  readonly body?: object;
  /** The version that was read, without quotes. */
  readonly version?: number;
}

/** Number of refusals because of no session. Each asks for a log-in. */
export const refusedSessions = signal(0);
/** Number of sessions that have followed one that was over. What was refused meanwhile is read again. */
export const renewedSessions = signal(0);
/** Since when no request has reached the server, in milliseconds since the epoch; undefined: the last one has. */
export const unreachableSince = signal<number | undefined>(undefined);

export async function get<Answer>(path: string, { query, signal: left }: ReadOptions = {}): Promise<Answer> {
  const response = await send('GET', urlOf(path, query), { left, withinMs: READ_MS });
  return jsonOf(response);
}

/** Reads a text, such as a dump. */
export async function getText(path: string, { query, signal: left }: ReadOptions = {}): Promise<string> {
  const response = await send('GET', urlOf(path, query), { left, withinMs: READ_MS });
  return response.text();
}

/** Makes a change, once. It goes on if its view is left. */
export async function change<Answer>(
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  { body = {}, query, version }: ChangeOptions = {},
): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...(version !== undefined && { 'if-match': `"${version}"` }) };
  const response = await send(method, urlOf(path, query), {
    withinMs: CHANGE_MS,
    headers,
    body: JSON.stringify(body),
  });
  return jsonOf(response);
}

interface Sending {
  readonly withinMs: number;
  readonly left?: AbortSignal | undefined;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

async function send(method: string, url: string, sending: Sending): Promise<Response> {
  for (let repeats = 0; ; repeats += 1) {
    const response = await sendOnce(method, url, sending);
    if (response.ok) return response;
    const waitS = Number(response.headers.get('retry-after'));
    const isShort = waitS > 0 && waitS <= LONGEST_WAIT_S;
    if (method !== 'GET' || response.status !== 429 || repeats === MOST_REPEATS || !isShort) {
      return refused(response, url);
    }
    await new Promise((resolve) => setTimeout(resolve, waitS * 1_000));
  }
}

async function refused(response: Response, url: string): Promise<never> {
  const problem = await problemOf(response);
  if (problem.status === 401 && !url.endsWith('/session')) refusedSessions.value += 1;
  throw problem;
}

async function sendOnce(
  method: string,
  url: string,
  { body, headers = {}, left, withinMs }: Sending,
): Promise<Response> {
  const timeout = AbortSignal.timeout(withinMs);
  const response = await fetch(url, {
    method,
    headers: { accept: 'application/json', ...headers },
    ...(body !== undefined && { body }),
    credentials: 'same-origin',
    redirect: 'error',
    signal: left === undefined ? timeout : AbortSignal.any([left, timeout]),
  }).catch((error: unknown) => {
    if (left?.aborted === true) throw error;
    unreachableSince.value ??= present();
    throw ownProblem('UNREACHABLE', timeout.aborted ? `No answer in ${withinMs / 1_000} s.` : 'No connection.');
  });
  unreachableSince.value = undefined;
  noteDate(response.headers.get('date'));
  return response;
}

async function jsonOf<Answer>(response: Response): Promise<Answer> {
  try {
    const text = await response.text();
    // A route without an answer has no text either.
    return JSON.parse(text === '' ? 'null' : text);
  } catch {
    throw ownProblem(
      'NO_PAGE_ANSWER',
      'The answer is no JSON: something between has sent another one.',
      response.status,
    );
  }
}

/** The problem of what was thrown; undefined for the end of a request whose view was left. */
export function asProblem(error: unknown): ApiProblem | undefined {
  if (error instanceof ApiProblem) return error;
  if (error instanceof DOMException && error.name === 'AbortError') return undefined;
  return ownProblem('NO_PAGE_ANSWER', error instanceof Error ? error.message : String(error));
}
