import { ConfigurationError, type ElasticJobModuleOptions, type JobProps } from '@app/elastic-job';
import {
  DingtalkErrorHandler,
  SlackErrorHandler,
  WebhookErrorHandler,
  WechatErrorHandler,
} from '@app/elastic-job/error-handlers';
import { EmailErrorHandler } from '@app/elastic-job/email';
import { ScriptJobType } from '@app/elastic-job/script';
import { describe, expect, it } from 'vitest';
import { EVERY_SECOND, startJobs } from './support/job-application.js';

const HTTP = { 'http.uri': 'https://example.org/settle', 'http.method': 'POST' };
const EMAIL = { 'email.from': 'jobs@example.org', 'email.to': 'Ada <ada@example.org>, team@example.org' };

/** Right properties of each type and handler, and then each property missing or wrong. */
const TYPES: Readonly<Record<string, { readonly right: JobProps; readonly wrong: readonly JobProps[] }>> = {
  HTTP: {
    right: HTTP,
    wrong: [
      { 'http.uri': '' },
      { 'http.uri': '/settle' },
      { 'http.method': '' },
      { 'http.method': 'SETTLE' },
      { 'http.content.type': 'text\nplain' },
      { 'http.connect.timeout.milliseconds': 'soon' },
      { 'http.read.timeout.milliseconds': '-1' },
    ],
  },
  SCRIPT: {
    right: { 'script.command.line': `sh -c 'echo "it is"'` },
    wrong: [{ 'script.command.line': '' }, { 'script.command.line': `sh -c "echo it's` }],
  },
};
const HANDLERS: typeof TYPES = {
  EMAIL: {
    right: EMAIL,
    wrong: [
      ...Object.keys(EMAIL).map((name) => ({ [name]: '' })),
      { 'email.from': 'jobs' },
      { 'email.to': 'ada' },
      { 'email.cc': 'ada' },
      { 'email.bcc': 'ada' },
      { 'email.to': 'ada@example.org\r\nBcc: eve@example.org' },
    ],
  },
  WECHAT: webHook('wechat.webhook', 'wechat'),
  DINGTALK: webHook('dingtalk.webhook', 'dingtalk'),
  SLACK: webHook('slack.webhook', 'slack'),
  WEBHOOK: webHook('webhook.url', 'webhook'),
};

function webHook(address: string, prefix: string): (typeof TYPES)[string] {
  return {
    right: { [address]: 'https://example.org/hook?key=s3cret' },
    wrong: [
      { [address]: '' },
      { [address]: 'example.org/hook?key=s3cret' },
      { [`${prefix}.connectTimeoutMilliseconds`]: '0' },
      { [`${prefix}.readTimeoutMilliseconds`]: '5s' },
    ],
  };
}

describe('an application', () => {
  describe.each(Object.entries(TYPES))('whose job has the type %s', (type, { right, wrong }) => {
    const startWith = (props: JobProps) => start({ type, props });

    it('starts with the right props', async () => expect(await startWith(right)).toBeUndefined());

    it.each(wrong)('does not start with %j, and the error names the property', async (change) => {
      const error = await startWith({ ...right, ...change });
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toContain(`job "ping" (module options): ${Object.keys(change)[0]} must `);
    });
  });

  describe.each(Object.entries(HANDLERS))(
    'whose job has the error handler %s',
    (jobErrorHandlerType, { right, wrong }) => {
      const startWith = (props: JobProps) => start({ type: 'HTTP', jobErrorHandlerType, props: { ...HTTP, ...props } });

      it('starts with the right props', async () => expect(await startWith(right)).toBeUndefined());

      it.each(wrong)('does not start with %j, and the error names the property', async (change) => {
        const error = await startWith({ ...right, ...change });
        expect(error).toBeInstanceOf(ConfigurationError);
        expect(String(error)).toContain(`: props: ${Object.keys(change)[0]} must `);
        expect(String(error)).not.toContain('s3cret');
      });
    },
  );
});

type Job = NonNullable<ElasticJobModuleOptions['jobs']>[string];

/** @returns the error of the start, if any */
async function start(job: Pick<Job, 'type' | 'props' | 'jobErrorHandlerType'>): Promise<unknown> {
  const options = {
    jobTypes: [new ScriptJobType()],
    errorHandlers: [
      new EmailErrorHandler({ host: 'mail.example.org' }),
      new WechatErrorHandler(),
      new DingtalkErrorHandler(),
      new SlackErrorHandler(),
      new WebhookErrorHandler(),
    ],
    jobs: { ping: { cron: EVERY_SECOND, shardingTotalCount: 1, ...job } },
  };
  try {
    await startJobs({ options });
    return undefined;
  } catch (error) {
    return error;
  }
}
