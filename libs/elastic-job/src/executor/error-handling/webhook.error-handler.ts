import {
  type DeliveryTerms,
  describeError,
  describeReport,
  type FailureReport,
  LOCAL_TARGET,
  messageOf,
  nameOf,
  type OptionRow,
  OptionTable,
  type PropClasses,
  type PropsReader,
} from '../../domain/index.js';
import { postJson } from './post-json.js';
import { readWebHook, unseenText, WebChannel, type WebHook, webHookProps } from './web-channel.js';

const ADDRESS = 'webhook.url';
const HEADER = 'webhook.authorization';

export const WEBHOOK_PROPS: PropClasses = { ...webHookProps('webhook', ADDRESS), [HEADER]: LOCAL_TARGET };

/** Options of `WebhookErrorHandler`. */
export interface WebhookErrorHandlerOptions {
  /** Address of the service. @default the props of each job */
  readonly url?: string;
  /** Value of the header `authorization`. @default the props of each job */
  readonly authorization?: string;
}

const TABLE = new OptionTable(
  {
    url: { rule: unseenText },
    authorization: { rule: unseenText },
  } satisfies Readonly<Record<keyof WebhookErrorHandlerOptions, OptionRow>>,
  'the error handler',
);

/** Settings that `WEBHOOK` reads from the props. */
export interface WebhookSettings extends WebHook {
  readonly authorization: string | undefined;
}

/** Body that `WEBHOOK` posts as JSON. Times are ISO 8601. */
export interface WebhookBody {
  readonly jobName: string;
  readonly item: number;
  readonly taskId: string;
  readonly fireTime: string;
  readonly source: string;
  readonly error: { readonly name: string; readonly message: string; readonly stack: string };
  /** Number of failures of this kind in the report, and when they happened. */
  readonly count: number;
  readonly since: string;
  readonly until: string;
  /** The whole report as text. */
  readonly text: string;
}

/**
 * `WEBHOOK`: any service that accepts a `WebhookBody` and answers 2xx. Java lacks it.
 *
 * Props:
 * - `webhook.url` (required): address of the service.
 * - `webhook.authorization` (none): value of the header `authorization`. The registry's is ignored.
 * - `webhook.connectTimeoutMilliseconds` (3000): part of the time that a delivery may take.
 * - `webhook.readTimeoutMilliseconds` (5000): the other part of it.
 */
export class WebhookErrorHandler extends WebChannel<WebhookSettings> {
  readonly type = 'WEBHOOK';

  /** @throws {ConfigurationError} for wrong and unknown options */
  constructor(input: WebhookErrorHandlerOptions = {}) {
    const { url, authorization } = TABLE.checked('WebhookErrorHandler', input);
    const read = (reader: PropsReader) => ({
      ...readWebHook(reader, 'webhook', ADDRESS),
      authorization: reader.text(HEADER),
    });
    super({ classes: WEBHOOK_PROPS, given: { [ADDRESS]: url, [HEADER]: authorization }, read });
  }

  async handle(report: FailureReport, { props, signal }: DeliveryTerms): Promise<void> {
    const { url, authorization } = this.read(props);
    const { error, fireTime, since, until, ...facts } = report;
    const body: WebhookBody = {
      ...facts,
      fireTime: instant(fireTime),
      error: {
        name: nameOf(error),
        message: messageOf(error),
        stack: describeError(error),
      },
      since: instant(since),
      until: instant(until),
      text: describeReport(report),
    };
    await postJson('WEBHOOK', { url, signal, body, headers: authorization === undefined ? {} : { authorization } });
  }
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
