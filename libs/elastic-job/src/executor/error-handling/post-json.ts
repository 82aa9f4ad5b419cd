import { causeOf, isError, messageOf } from '../../domain/index.js';
import { DeliveryError } from './error-handling.errors.js';

interface JsonPost {
  /** Never shown: it may contain a key. */
  readonly url: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/**
 * Posts JSON. @returns the text of the answer
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
    return { status: response.status, text: await response.text() };
  } catch (cause) {
    if (request.signal?.aborted) throw request.signal.reason;
    throw new DeliveryError(type, faultOf(cause), { cause });
  }
}

/** The message of `fetch` is always the same; its cause has the reason. */
function faultOf(error: unknown): string {
  const cause = causeOf(error);
  return messageOf(isError(cause) ? cause : error);
}
