import { createHmac } from 'node:crypto';
import { type DeliveryTerms, describeReport, type JobErrorHandler, PropsReader } from '../../domain/index.js';
import { DeliveryError } from './error-handling.errors.js';
import { postJson } from './post-json.js';
import { judgedBy, readWebHook } from './web-hooks.js';

/** The longest texts that the services take: bytes for the first two, characters for the third. */
const WECHAT_BYTES = 2_048;
const DINGTALK_BYTES = 20_000;
const SLACK_CHARACTERS = 40_000;

const readWechat = (reader: PropsReader) => readWebHook(reader, 'wechat');
const readSlack = (reader: PropsReader) => readWebHook(reader, 'slack');
const readDingtalk = (reader: PropsReader) => ({
  ...readWebHook(reader, 'dingtalk'),
  keyword: reader.text('dingtalk.keyword') ?? '',
  secret: reader.text('dingtalk.secret'),
});

/**
 * `WECHAT`: a robot of a WeCom group. Props: `wechat.webhook`, `wechat.connectTimeoutMilliseconds` (3000),
 * `wechat.readTimeoutMilliseconds` (5000).
 * @see ElasticJob, `WechatJobErrorHandler`
 */
export const WECHAT_ERROR_HANDLER: JobErrorHandler = {
  type: 'WECHAT',
  ...judgedBy(readWechat),
  async handle(report, { props, signal }) {
    const { url } = readWechat(new PropsReader(props));
    const content = firstBytes(describeReport(report), WECHAT_BYTES);
    assertTaken('WECHAT', await postJson('WECHAT', { url, signal, body: { msgtype: 'text', text: { content } } }));
  },
};

/**
 * `DINGTALK`: a robot of a DingTalk group. Props: `dingtalk.webhook`, `dingtalk.keyword` (which the robot asks of each text),
 * `dingtalk.secret` (then the address is signed), and the two time limits, as `WECHAT`.
 * @see ElasticJob, `DingtalkJobErrorHandler`
 */
export const DINGTALK_ERROR_HANDLER: JobErrorHandler = {
  type: 'DINGTALK',
  ...judgedBy(readDingtalk),
  async handle(report, terms) {
    const { url, keyword, secret } = readDingtalk(new PropsReader(terms.props));
    const content = firstBytes(keyword + describeReport(report), DINGTALK_BYTES);
    const body = { msgtype: 'text', text: { content } };
    assertTaken(
      'DINGTALK',
      await postJson('DINGTALK', { url: signed(url, secret, terms), signal: terms.signal, body }),
    );
  },
};

/** `SLACK`: an incoming webhook. Props: `slack.webhook`, and the two time limits, as `WECHAT`. Java lacks it. */
export const SLACK_ERROR_HANDLER: JobErrorHandler = {
  type: 'SLACK',
  ...judgedBy(readSlack),
  async handle(report, { props, signal }) {
    const { url } = readSlack(new PropsReader(props));
    const escaped = describeReport(report).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    await postJson('SLACK', { url, signal, body: { text: escaped.slice(0, SLACK_CHARACTERS) } });
  },
};

/** @see ElasticJob, `DingtalkJobErrorHandler.sign`: HMAC-SHA256 of time and secret, under the secret */
function signed(url: string, secret: string | undefined, { now }: DeliveryTerms): string {
  if (secret === undefined) return url;
  const signedUrl = new URL(url);
  signedUrl.searchParams.set('timestamp', String(now));
  signedUrl.searchParams.set('sign', createHmac('sha256', secret).update(`${now}\n${secret}`).digest('base64'));
  return signedUrl.href;
}

/** Both robots answer 200 also when they refuse, and say so in the body. */
function assertTaken(type: string, answer: string): void {
  const { errcode, errmsg } = parse(answer);
  if (errcode === 0) return;
  throw new DeliveryError(type, `the robot refused it with errcode ${String(errcode)}, ${String(errmsg)}`);
}

function parse(answer: string): { readonly errcode?: unknown; readonly errmsg?: unknown } {
  try {
    return Object(JSON.parse(answer));
  } catch {
    return { errmsg: answer.slice(0, 100) };
  }
}

/** As much of a text as fits, no character cut in two. */
function firstBytes(text: string, most: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(most));
  return text.slice(0, read);
}
