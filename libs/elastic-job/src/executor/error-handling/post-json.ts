import { causeOf, isError, messageOf } from '../../domain/index.js';
import { fetchFault } from '../fetch-fault.js';
import { DeliveryError } from './error-handling.errors.js';

/** Most bytes of an answer that are read. Robots answer with less than 100, and a service may send without end. */
const MOST_ANSWER_BYTES = 64 * 1024;

interface JsonPost {
  /** Never shown: it may contain a key. */
  readonly url: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/**
 * Posts JSON. @returns the text of the answer, at most the first 64 KB
 * @throws {DeliveryError} if the server cannot be reached, does not answer in time, or answers with another status than
 * 2xx. Redirects are not followed, and no error contains the answer's text.
 */
export async function postJson(type: string, { url, body, headers, signal }: JsonPost): Promise<string> {
  const { status, text } = await exchange(type, url, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
    signal,
    redirect: 'manual',
  });
  if (status >= 200 && status < 300) return text;
  throw new DeliveryError(type, `the server answered ${status}`);
}

async function exchange(type: string, url: string, request: RequestInit): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, request);
    return { status: response.status, text: await beginningOf(response) };
  } catch (error) {
    if (request.signal?.aborted) throw request.signal.reason;
    throw new DeliveryError(type, faultOf(error), { cause: fetchFault(error) });
  }
}

/** Reads no further than that, and gives the connection up if there is more. */
async function beginningOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let left = MOST_ANSWER_BYTES;
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk.subarray(0, left), { stream: true });
    left -= chunk.length;
    if (left <= 0) break;
  }
  return text;
}

/** The message of `fetch` is always the same; its cause has the reason. */
function faultOf(error: unknown): string {
  const cause = causeOf(error);
  return messageOf(isError(cause) ? cause : error);
}
