import { createHmac } from 'node:crypto';
import {
  type DeliveryTerms,
  describeError,
  describeReport,
  type FailureReport,
  instant,
  LOCAL_TARGET,
  messageOf,
  nameOf,
  type OptionRow,
  OptionTable,
  type PropClasses,
  type PropsReader,
} from '../../domain/index.js';
import { DeliveryError } from './deliveries.js';
import { postJson, readWebHook, unseenText, WebChannel, type WebHook, webHookProps } from './web-channel.js';

/** Longest texts that the services accept: bytes for the first two, characters for the third. */
const WECHAT_BYTES = 2_048;
const DINGTALK_BYTES = 20_000;
const SLACK_CHARACTERS = 40_000;

const WECHAT_ADDRESS = 'wechat.webhook';
const DINGTALK_ADDRESS = 'dingtalk.webhook';
const DINGTALK_KEYWORD = 'dingtalk.keyword';
const DINGTALK_SECRET = 'dingtalk.secret';
const SLACK_ADDRESS = 'slack.webhook';

export const WECHAT_PROPS = webHookProps('wechat', WECHAT_ADDRESS);
export const SLACK_PROPS = webHookProps('slack', SLACK_ADDRESS);
/** The keyword begins each text, which a stranger must not write. */
export const DINGTALK_PROPS: PropClasses = {
  ...webHookProps('dingtalk', DINGTALK_ADDRESS),
  [DINGTALK_KEYWORD]: LOCAL_TARGET,
  [DINGTALK_SECRET]: LOCAL_TARGET,
};

/** Options of `WechatErrorHandler` and `SlackErrorHandler`. */
export interface ChatErrorHandlerOptions {
  /** The robot's address, which contains its key. @default the props of each job */
  readonly webhook?: string;
}

/** Options of `DingtalkErrorHandler`. */
export interface DingtalkErrorHandlerOptions extends ChatErrorHandlerOptions {
  /** Signs the address. @default the props of each job */
  readonly secret?: string;
}

const CHAT = { webhook: { rule: unseenText } } as const satisfies Readonly<
  Record<keyof ChatErrorHandlerOptions, OptionRow>
>;
const CHAT_TABLE = new OptionTable(CHAT, 'the error handler');
const DINGTALK_TABLE = new OptionTable(
  { ...CHAT, secret: { rule: unseenText } } satisfies Readonly<Record<keyof DingtalkErrorHandlerOptions, OptionRow>>,
  'the error handler',
);

/**
 * `WECHAT`: a robot of a WeCom group.
 *
 * Props:
 * - `wechat.webhook` (required): address of the robot, which contains its key.
 * - `wechat.connectTimeoutMilliseconds` (3000): part of the time that a delivery may take.
 * - `wechat.readTimeoutMilliseconds` (5000): the other part of it.
 * @see ElasticJob, `WechatJobErrorHandler`
 */
export class WechatErrorHandler extends WebChannel<WebHook> {
  readonly type = 'WECHAT';

  /** @throws {ConfigurationError} for wrong and unknown options */
  constructor(input: ChatErrorHandlerOptions = {}) {
    const { webhook } = CHAT_TABLE.checked('WechatErrorHandler', input);
    const read = (reader: PropsReader) => readWebHook(reader, 'wechat', WECHAT_ADDRESS);
    super({ classes: WECHAT_PROPS, given: { [WECHAT_ADDRESS]: webhook }, read });
  }

  async handle(report: FailureReport, { props, signal }: DeliveryTerms): Promise<void> {
    const { url } = this.read(props);
    const content = firstBytes(describeReport(report), WECHAT_BYTES);
    assertTaken('WECHAT', await postJson('WECHAT', { url, signal, body: { msgtype: 'text', text: { content } } }));
  }
}

/** Settings that `DINGTALK` reads from the props. */
export interface DingtalkSettings extends WebHook {
  readonly keyword: string;
  readonly secret: string | undefined;
}

/**
 * `DINGTALK`: a robot of a DingTalk group.
 *
 * Props:
 * - `dingtalk.webhook` (required): address of the robot, which contains its key.
 * - `dingtalk.keyword` (none): word that the robot requires in each text. The registry's is ignored.
 * - `dingtalk.secret` (none): secret that signs the address. The registry's is ignored.
 * - `dingtalk.connectTimeoutMilliseconds` (3000): part of the time that a delivery may take.
 * - `dingtalk.readTimeoutMilliseconds` (5000): the other part of it.
 * @see ElasticJob, `DingtalkJobErrorHandler`
 */
export class DingtalkErrorHandler extends WebChannel<DingtalkSettings> {
  readonly type = 'DINGTALK';

  /** @throws {ConfigurationError} for wrong and unknown options */
  constructor(input: DingtalkErrorHandlerOptions = {}) {
    const { webhook, secret } = DINGTALK_TABLE.checked('DingtalkErrorHandler', input);
    const read = (reader: PropsReader) => ({
      ...readWebHook(reader, 'dingtalk', DINGTALK_ADDRESS),
      keyword: reader.text(DINGTALK_KEYWORD) ?? '',
      secret: reader.text(DINGTALK_SECRET),
    });
    const given = { [DINGTALK_ADDRESS]: webhook, [DINGTALK_SECRET]: secret };
    super({ classes: DINGTALK_PROPS, given, read });
  }

  async handle(report: FailureReport, terms: DeliveryTerms): Promise<void> {
    const { url, keyword, secret } = this.read(terms.props);
    const content = firstBytes(keyword + describeReport(report), DINGTALK_BYTES);
    const body = { msgtype: 'text', text: { content } };
    const answer = await postJson('DINGTALK', { url: signed(url, secret, terms), signal: terms.signal, body });
    assertTaken('DINGTALK', answer);
  }
}

/**
 * `SLACK`: an incoming webhook. Java lacks it.
 *
 * Props:
 * - `slack.webhook` (required): address of the webhook, which contains its key.
 * - `slack.connectTimeoutMilliseconds` (3000): part of the time that a delivery may take.
 * - `slack.readTimeoutMilliseconds` (5000): the other part of it.
 */
export class SlackErrorHandler extends WebChannel<WebHook> {
  readonly type = 'SLACK';

  /** @throws {ConfigurationError} for wrong and unknown options */
  constructor(input: ChatErrorHandlerOptions = {}) {
    const { webhook } = CHAT_TABLE.checked('SlackErrorHandler', input);
    const read = (reader: PropsReader) => readWebHook(reader, 'slack', SLACK_ADDRESS);
    super({ classes: SLACK_PROPS, given: { [SLACK_ADDRESS]: webhook }, read });
  }

  async handle(report: FailureReport, { props, signal }: DeliveryTerms): Promise<void> {
    const { url } = this.read(props);
    const escaped = describeReport(report).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    await postJson('SLACK', { url, signal, body: { text: escaped.slice(0, SLACK_CHARACTERS) } });
  }
}

/** @see ElasticJob, `DingtalkJobErrorHandler.sign`: HMAC-SHA256 of time and secret, under the secret */
function signed(url: string, secret: string | undefined, { now }: DeliveryTerms): string {
  if (secret === undefined) return url;
  const signedUrl = new URL(url);
  signedUrl.searchParams.set('timestamp', String(now));
  signedUrl.searchParams.set('sign', createHmac('sha256', secret).update(`${now}\n${secret}`).digest('base64'));
  return signedUrl.href;
}

/** Both robots answer a refusal with status 200 and a number in the body. */
function assertTaken(type: string, answer: string): void {
  const errcode = errcodeOf(answer);
  if (errcode === 0) return;
  const told = typeof errcode === 'number' ? `errcode ${errcode}` : 'an answer that has no errcode';
  throw new DeliveryError(type, `the robot refused it with ${told}`);
}

function errcodeOf(answer: string): unknown {
  try {
    return Object(JSON.parse(answer)).errcode;
  } catch {
    return undefined;
  }
}

/** The longest beginning of a text that fits, without a broken character. */
function firstBytes(text: string, most: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(most));
  return text.slice(0, read);
}

const WEBHOOK_ADDRESS = 'webhook.url';
const WEBHOOK_HEADER = 'webhook.authorization';

export const WEBHOOK_PROPS: PropClasses = {
  ...webHookProps('webhook', WEBHOOK_ADDRESS),
  [WEBHOOK_HEADER]: LOCAL_TARGET,
};

/** Options of `WebhookErrorHandler`. */
export interface WebhookErrorHandlerOptions {
  /** Address of the service. @default the props of each job */
  readonly url?: string;
  /** Value of the header `authorization`. @default the props of each job */
  readonly authorization?: string;
}

const WEBHOOK_TABLE = new OptionTable(
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
    const { url, authorization } = WEBHOOK_TABLE.checked('WebhookErrorHandler', input);
    const read = (reader: PropsReader) => ({
      ...readWebHook(reader, 'webhook', WEBHOOK_ADDRESS),
      authorization: reader.text(WEBHOOK_HEADER),
    });
    super({ classes: WEBHOOK_PROPS, given: { [WEBHOOK_ADDRESS]: url, [WEBHOOK_HEADER]: authorization }, read });
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
