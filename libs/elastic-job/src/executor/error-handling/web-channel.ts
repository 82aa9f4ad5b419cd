import {
  type DeliveryTerms,
  type FailureReport,
  type JobErrorHandler,
  type JobProps,
  mustBeUnseen,
  ORIGIN_TARGET,
  type PropClasses,
  PropsReader,
  type PropTargets,
  rule,
  targetsAmong,
  WHEN,
} from '../../domain/index.js';
import { fetchFault, rootCause } from '../fetch-fault.js';
import { DeliveryError } from './deliveries.js';

/** Rule of an option that may hold a key, which messages must not show. */
export const unseenText = rule('a text', (value) => typeof value === 'string', mustBeUnseen('a text'));

/** Settings that all web channels have. */
export interface WebHook {
  readonly url: string;
  /** Longest time of one delivery, in milliseconds. */
  readonly timeLimitMs: number;
}

/** The props of one channel. */
interface WebChannelProps<Settings extends WebHook> {
  readonly classes: PropClasses;
  /** Props given to the channel itself. They take precedence over those of jobs. */
  readonly given: Readonly<Record<string, string | undefined>>;
  read(reader: PropsReader): Settings;
}

/** An error handler that sends reports to a web service. */
export abstract class WebChannel<Settings extends WebHook> implements JobErrorHandler {
  abstract readonly type: string;
  readonly targets: PropTargets;
  // Truly private: it may hold keys.
  readonly #props: WebChannelProps<Settings>;

  /** @internal */
  protected constructor(props: WebChannelProps<Settings>) {
    this.#props = props;
    this.targets = targetsAmong(props.classes);
  }

  findFaults(props: JobProps): readonly string[] {
    const reader = this.readerOf(props);
    this.#props.read(reader);
    return reader.faults;
  }

  timeLimitMs(props: JobProps): number {
    return this.read(props).timeLimitMs;
  }

  abstract handle(report: FailureReport, terms: DeliveryTerms): Promise<void>;

  /** @internal */
  protected read(props: JobProps): Settings {
    return this.#props.read(this.readerOf(props));
  }

  private readerOf(props: JobProps): PropsReader {
    const given = Object.entries(this.#props.given).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    );
    return new PropsReader({ ...props, ...Object.fromEntries(given) });
  }
}

/** Classes of the props that all web channels read. @see readWebHook */
export function webHookProps(prefix: string, address: string): PropClasses {
  return {
    [address]: ORIGIN_TARGET,
    [`${prefix}.connectTimeoutMilliseconds`]: WHEN,
    [`${prefix}.readTimeoutMilliseconds`]: WHEN,
  };
}

/**
 * Reads the address and the two time limits. Node's `fetch` does not show when it has connected, so the sum of both
 * limits the whole exchange.
 * @see ElasticJob, `WechatPropertiesValidator`: the same names and defaults for all channels
 */
export function readWebHook(reader: PropsReader, prefix: string, address: string): WebHook {
  const url = reader.requiredUrl(address);
  const connectMs = reader.positive(`${prefix}.connectTimeoutMilliseconds`, 3_000);
  const readMs = reader.positive(`${prefix}.readTimeoutMilliseconds`, 5_000);
  return { url, timeLimitMs: connectMs + readMs };
}

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
  if (status < 300) return text;
  throw new DeliveryError(type, `the server answered ${status}`);
}

async function exchange(type: string, url: string, request: RequestInit): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, request);
    return { status: response.status, text: await beginningOf(response) };
  } catch (error) {
    throw new DeliveryError(type, rootCause(error), { cause: fetchFault(error) });
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
