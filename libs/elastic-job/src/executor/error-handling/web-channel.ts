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
