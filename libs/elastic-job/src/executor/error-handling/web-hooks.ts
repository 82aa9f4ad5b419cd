import { type JobProps, PropsReader } from '../../domain/index.js';

/** What all channels on the web have. */
export interface WebHook {
  readonly url: string;
  /** How long a delivery may take, in milliseconds. */
  readonly timeLimitMs: number;
}

/**
 * Reads `{prefix}.{name of the address}`, and the two time limits. Node's `fetch` does not tell when it is connected, so the
 * two together bound the exchange as a whole.
 * @see ElasticJob, `WechatPropertiesValidator`: the same names and defaults for all channels
 */
export function readWebHook(reader: PropsReader, prefix: string, address = 'webhook'): WebHook {
  const url = reader.requiredUrl(`${prefix}.${address}`);
  const connectMs = reader.positive(`${prefix}.connectTimeoutMilliseconds`, 3_000);
  const readMs = reader.positive(`${prefix}.readTimeoutMilliseconds`, 5_000);
  return { url, timeLimitMs: connectMs + readMs };
}

/** The two questions about props that every channel answers from what it reads of them. */
export function judgedBy(read: (reader: PropsReader) => { readonly timeLimitMs: number }) {
  return {
    findFaults(props: JobProps): readonly string[] {
      const reader = new PropsReader(props);
      read(reader);
      return reader.faults;
    },
    timeLimitMs: (props: JobProps): number => read(new PropsReader(props)).timeLimitMs,
  };
}
