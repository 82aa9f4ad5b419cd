import {
  type DeliveryTerms,
  type FailureReport,
  type JobErrorHandler,
  type JobProps,
  LOCAL_TARGET,
  ORIGIN_TARGET,
  PropsReader,
  type PropTargets,
} from '../../domain/index.js';

/** The settings that all channels on the web have. */
export interface WebHook {
  readonly url: string;
  /** How long a delivery may take, in milliseconds. */
  readonly timeLimitMs: number;
}

/** The props of one channel. */
interface WebChannelProps<Settings extends WebHook> {
  /** The prop that says who is told. The registry names another address only where the module allows its origin. */
  readonly address: string;
  /** The props that only this process says. */
  readonly secrets: readonly string[];
  /** The props that the channel was made with. They go before those of jobs. */
  readonly given: Readonly<Record<string, string | undefined>>;
  read(reader: PropsReader): Settings;
}

/** A service of the web that is told of failures. */
export abstract class WebChannel<Settings extends WebHook> implements JobErrorHandler {
  abstract readonly type: string;
  readonly targets: PropTargets;
  // Truly private: it may hold keys.
  readonly #props: WebChannelProps<Settings>;

  /** @internal */
  protected constructor(props: WebChannelProps<Settings>) {
    this.#props = props;
    const { address, secrets } = props;
    this.targets = {
      [address]: ORIGIN_TARGET,
      ...Object.fromEntries(secrets.map((secret) => [secret, LOCAL_TARGET])),
    };
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

/**
 * Reads the address, and the two time limits. Node's `fetch` does not tell when it is connected, so the two together
 * bound the exchange as a whole.
 * @see ElasticJob, `WechatPropertiesValidator`: the same names and defaults for all channels
 */
export function readWebHook(reader: PropsReader, prefix: string, address: string): WebHook {
  const url = reader.requiredUrl(address);
  const connectMs = reader.positive(`${prefix}.connectTimeoutMilliseconds`, 3_000);
  const readMs = reader.positive(`${prefix}.readTimeoutMilliseconds`, 5_000);
  return { url, timeLimitMs: connectMs + readMs };
}
