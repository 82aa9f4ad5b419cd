import { createHmac } from 'node:crypto';
import { type DeliveryTerms, describeReport, type FailureReport, type PropsReader } from '../../domain/index.js';
import { DeliveryError } from './error-handling.errors.js';
import { postJson } from './post-json.js';
import { readWebHook, WebChannel, type WebHook } from './web-channel.js';

/** Longest texts that the services accept: bytes for the first two, characters for the third. */
const WECHAT_BYTES = 2_048;
const DINGTALK_BYTES = 20_000;
const SLACK_CHARACTERS = 40_000;

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

  constructor({ webhook }: ChatErrorHandlerOptions = {}) {
    const address = 'wechat.webhook';
    const read = (reader: PropsReader) => readWebHook(reader, 'wechat', address);
    super({ address, secrets: [], given: { [address]: webhook }, read });
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
 * - `dingtalk.keyword` (none): word that the robot requires in each text.
 * - `dingtalk.secret` (none): secret that signs the address. The registry's is ignored.
 * - `dingtalk.connectTimeoutMilliseconds` (3000): part of the time that a delivery may take.
 * - `dingtalk.readTimeoutMilliseconds` (5000): the other part of it.
 * @see ElasticJob, `DingtalkJobErrorHandler`
 */
export class DingtalkErrorHandler extends WebChannel<DingtalkSettings> {
  readonly type = 'DINGTALK';

  constructor({ webhook, secret }: DingtalkErrorHandlerOptions = {}) {
    const address = 'dingtalk.webhook';
    const secretName = 'dingtalk.secret';
    const read = (reader: PropsReader) => ({
      ...readWebHook(reader, 'dingtalk', address),
      keyword: reader.text('dingtalk.keyword') ?? '',
      secret: reader.text(secretName),
    });
    super({ address, secrets: [secretName], given: { [address]: webhook, [secretName]: secret }, read });
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

  constructor({ webhook }: ChatErrorHandlerOptions = {}) {
    const address = 'slack.webhook';
    const read = (reader: PropsReader) => readWebHook(reader, 'slack', address);
    super({ address, secrets: [], given: { [address]: webhook }, read });
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
