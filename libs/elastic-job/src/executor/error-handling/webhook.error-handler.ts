import { describeError, describeReport, type JobErrorHandler, PropsReader } from '../../domain/index.js';
import { postJson } from './post-json.js';
import { judgedBy, readWebHook } from './web-hooks.js';

const readWebhook = (reader: PropsReader) => ({
  ...readWebHook(reader, 'webhook', 'url'),
  authorization: reader.text('webhook.authorization'),
});

/** What `WEBHOOK` posts, as JSON. Times are ISO 8601. */
export interface WebhookBody {
  readonly jobName: string;
  readonly item: number;
  readonly taskId: string;
  readonly fireTime: string;
  readonly source: string;
  readonly error: { readonly name: string; readonly message: string; readonly stack: string };
  /** How many failures of this kind the report stands for, and when they happened. */
  readonly count: number;
  readonly since: string;
  readonly until: string;
  /** All of this in words. */
  readonly text: string;
}

/**
 * `WEBHOOK`: any service that takes a `WebhookBody` and answers 2xx. Props: `webhook.url`, `webhook.authorization` (the
 * header of that name), `webhook.connectTimeoutMilliseconds` (3000), `webhook.readTimeoutMilliseconds` (5000). Java lacks it.
 */
export const WEBHOOK_ERROR_HANDLER: JobErrorHandler = {
  type: 'WEBHOOK',
  ...judgedBy(readWebhook),
  async handle(report, { props, signal }) {
    const { url, authorization } = readWebhook(new PropsReader(props));
    const { error, fireTime, since, until, ...facts } = report;
    const isError = error instanceof Error;
    const body: WebhookBody = {
      ...facts,
      fireTime: instant(fireTime),
      error: {
        name: isError ? error.name : typeof error,
        message: isError ? error.message : describeError(error),
        stack: describeError(error),
      },
      since: instant(since),
      until: instant(until),
      text: describeReport(report),
    };
    await postJson('WEBHOOK', { url, signal, body, headers: authorization === undefined ? {} : { authorization } });
  },
};

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
