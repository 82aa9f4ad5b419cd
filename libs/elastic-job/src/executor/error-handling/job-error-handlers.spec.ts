import { describe, expect, it } from 'vitest';
import {
  ConfigurationError,
  type DeliveryTerms,
  type FailureReport,
  guardProps,
  type JobErrorHandler,
  type JobFailure,
  type JobProps,
  readable,
  type Redact,
} from '../../domain/index.js';
import { VirtualClock } from '../../testing/index.js';
import { type JobEvent, JobEvents } from '../../tracing/index.js';
import {
  DingtalkErrorHandler,
  JobErrorHandlers,
  SlackErrorHandler,
  WebhookErrorHandler,
  WechatErrorHandler,
} from './index.js';

const WINDOW_MS = 60_000;
const failure: JobFailure = {
  jobName: 'settle-orders',
  item: 3,
  taskId: 't',
  fireTime: 0,
  source: 'NORMAL_TRIGGER',
  error: new Error('out of stock'),
};

/** The event of a failure that no channel has reported. */
const LOGGED = { kind: 'error', jobName: 'settle-orders', message: 'item 3 failed' };

class Pager implements JobErrorHandler {
  readonly type = 'Pager';
  readonly reports: FailureReport[] = [];
  readonly signals: AbortSignal[] = [];

  constructor(private readonly behave: (terms: DeliveryTerms) => unknown = () => {}) {}

  findFaults({ number }: JobProps): readonly string[] {
    return number === undefined ? ['number must be given'] : [];
  }

  handle(report: FailureReport, terms: DeliveryTerms): unknown {
    this.reports.push(report);
    this.signals.push(terms.signal);
    return this.behave(terms);
  }
}

function webChannels(): readonly JobErrorHandler[] {
  return [new WechatErrorHandler(), new DingtalkErrorHandler(), new SlackErrorHandler(), new WebhookErrorHandler()];
}

function setUp(...own: readonly JobErrorHandler[]) {
  return setUpRedacted(undefined, ...own);
}

function setUpRedacted(redact: Redact | undefined, ...own: readonly JobErrorHandler[]) {
  const clock = new VirtualClock();
  const events = new JobEvents();
  const told: JobEvent[] = [];
  events.on((event) => void told.push(event));
  const handlers = new JobErrorHandlers(clock, events, own, WINDOW_MS, redact);
  const jobOf = (jobErrorHandlerType: string | undefined, props: JobProps = { number: '1' }) => ({
    jobName: 'settle-orders',
    jobErrorHandlerType,
    props,
  });
  return { clock, handlers, told, jobOf };
}

describe('JobErrorHandlers', () => {
  it.each([undefined, 'LOG', 'log'])('emits an error event for each failure with the type %s', (type) => {
    const { handlers, told, jobOf } = setUp();
    handlers.handle(failure, jobOf(type));
    handlers.handle(failure, jobOf(type));
    const event = { kind: 'error', jobName: 'settle-orders', message: 'item 3 failed', error: failure.error };
    expect(told).toEqual([event, event]);
  });

  it('emits nothing for IGNORE and THROW, and lets the run fail for THROW alone', () => {
    const { handlers, told, jobOf } = setUp();
    expect([handlers.handle(failure, jobOf('IGNORE')), handlers.handle(failure, jobOf('THROW'))]).toEqual([
      false,
      true,
    ]);
    expect(told).toEqual([]);
  });

  it("calls the user's handler once for 1,000 equal failures, and once more with their number", async () => {
    const pager = new Pager();
    const { clock, handlers, told, jobOf } = setUp(pager);
    for (let item = 0; item < 1_000; item += 1) handlers.handle({ ...failure, item }, jobOf('PAGER'));
    await clock.advance(WINDOW_MS);
    expect(pager.reports).toEqual([
      { ...failure, item: 0, count: 1, since: expect.any(Number), until: expect.any(Number) },
      { ...failure, item: 999, count: 999, since: expect.any(Number), until: expect.any(Number) },
    ]);
    expect(told).toEqual([]);
    await clock.advanceUntil(handlers.close(0));
    expect(clock.pendingTimers).toBe(0);
  });

  it('emits the reason of a promise that was thrown, once, if it rejects after a channel was told', async () => {
    const reason = new Error('no stock');
    const rejections: ((reason: unknown) => void)[] = [];
    const broken: JobErrorHandler = { type: 'OFF', handle: () => Promise.reject(new Error('no tone')) };
    const { clock, handlers, told, jobOf } = setUp(new Pager(), broken);
    for (const type of ['PAGER', 'OFF']) {
      const error = readable(new Promise((_, reject) => rejections.push(reject)));
      handlers.handle({ ...failure, error, jobName: type }, { ...jobOf(type), jobName: type });
    }
    await clock.advance(0);
    for (const reject of rejections) reject(reason);
    await clock.advance(0);

    expect(told.filter((event) => event.kind === 'error' && event.error === reason)).toEqual([
      {
        ...LOGGED,
        jobName: 'PAGER',
        message: 'item 3 failed, and the promise that was thrown has rejected',
        error: reason,
      },
      { ...LOGGED, jobName: 'OFF', message: 'the promise that was thrown has rejected', error: reason },
    ]);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no tone');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no tone'))],
  ])('emits the failure and the reason as events if a handler %s', async (_, behave) => {
    const { clock, handlers, told, jobOf } = setUp(new Pager(behave));
    expect(handlers.handle(failure, jobOf('PAGER'))).toBe(false);
    await clock.advance(0);
    const fault = {
      kind: 'error-handler-failed',
      jobName: 'settle-orders',
      type: 'PAGER',
      error: new Error('no tone'),
    };
    expect(told).toEqual([{ ...LOGGED, error: failure.error }, fault]);
  });

  it('aborts and gives up a handler that hangs once its time is over', async () => {
    const pager = new Pager(() => new Promise(() => {}));
    const { clock, handlers, told, jobOf } = setUp(pager);
    handlers.handle(failure, jobOf('PAGER'));
    await clock.advance(9_999);
    expect(told).toEqual([]);
    await clock.advance(1);
    expect(pager.signals[0]!.aborted).toBe(true);
    expect(told).toMatchObject([LOGGED, { kind: 'error-handler-failed', error: { code: 'DELIVERY' } }]);
  });

  it.each<unknown>([0, -1, Number.NaN, Infinity, 2 ** 31, '50'])(
    'gives a handler 10 s if its own limit is %s, which is no length of time',
    async (timeLimitMs) => {
      const pager = new Pager(() => new Promise(() => {}));
      Reflect.set(pager, 'timeLimitMs', () => timeLimitMs);
      const { clock, handlers, told, jobOf } = setUp(pager);
      handlers.handle(failure, jobOf('PAGER'));
      await clock.advance(9_999);
      expect(told).toEqual([]);
      await clock.advance(1);
      expect(told).toHaveLength(2);
    },
  );

  it.each([1, 2 ** 31 - 1])('gives a handler its own limit of %i ms', async (timeLimitMs) => {
    const pager = Object.assign(new Pager(() => new Promise(() => {})), { timeLimitMs: () => timeLimitMs });
    const { clock, handlers, told, jobOf } = setUp(pager);
    handlers.handle(failure, jobOf('PAGER'));
    await clock.advance(timeLimitMs - 1);
    expect(told).toEqual([]);
    await clock.advance(1);
    expect(told).toHaveLength(2);
  });

  it('tells a channel of a failure whose error is redacted, with all else as it is', async () => {
    const pager = new Pager();
    const { clock, handlers, jobOf } = setUpRedacted((text) => text.replaceAll('stock', '***'), pager);
    handlers.handle(failure, jobOf('PAGER'));
    await clock.advance(0);

    expect(pager.reports).toMatchObject([{ ...failure, error: { message: 'out of ***' }, count: 1 }]);
  });

  it('reports failures beyond the queue as not delivered while a handler hangs', async () => {
    const pager = new Pager(() => new Promise(() => {}));
    const { clock, handlers, told, jobOf } = setUp(pager);
    for (let kind = 0; kind < 500; kind += 1) {
      handlers.handle({ ...failure, error: String.fromCodePoint(0x4e00 + kind) }, jobOf('PAGER'));
    }
    const failed = () => told.filter(({ kind }) => kind === 'error-handler-failed');
    expect([pager.reports.length, failed().length]).toEqual([8, 500 - 8 - 100]);
    await clock.advanceUntil(handlers.close(5_000));
    expect(failed()).toHaveLength(500);
    expect(told.filter(({ kind }) => kind === 'error')).toHaveLength(500);
    expect(clock.pendingTimers).toBe(0);
  });

  it('delivers failures that are held back before its closing resolves', async () => {
    let answer = (): void => {};
    const line = new Promise<void>((resolve) => (answer = resolve));
    const pager = new Pager(() => line);
    const { clock, handlers, jobOf } = setUp(pager);
    for (let item = 0; item < 5; item += 1) handlers.handle({ ...failure, item }, jobOf('PAGER'));
    let isClosed = false;
    void handlers.close(5_000).then(() => (isClosed = true));
    await clock.advance(4_000);
    expect([pager.reports.map(({ count }) => count), isClosed]).toEqual([[1, 4], false]);
    answer();
    await clock.advance(0);
    expect(isClosed).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('logs the number of held-back failures whose report cannot be delivered', async () => {
    const pager = new Pager(() => Promise.reject(new Error('no tone')));
    const { clock, handlers, told, jobOf } = setUp(pager);
    for (let failures = 0; failures < 5; failures += 1) handlers.handle(failure, jobOf('PAGER'));
    await clock.advanceUntil(handlers.close(1_000));
    expect(told).toMatchObject([
      LOGGED,
      { kind: 'error-handler-failed' },
      { ...LOGGED, message: 'item 3 failed, and 3 equal failures before it' },
      { kind: 'error-handler-failed' },
    ]);
  });

  it('reports a failure and its unusable settings as errors', () => {
    const pager = new Pager();
    const { handlers, told, jobOf } = setUp(pager);
    handlers.handle(failure, jobOf('PAGER', {}));
    expect(pager.reports).toEqual([]);
    expect(told).toMatchObject([
      LOGGED,
      { kind: 'error-handler-failed', type: 'PAGER', error: { code: 'CONFIGURATION' } },
    ]);
  });

  it.each<[string, JobProps, string | RegExp]>([
    ['PAGER', {}, 'job "j": props: number must be given, for jobErrorHandlerType "PAGER"'],
    [
      'EMIAL',
      {},
      new RegExp(
        '^job "j": jobErrorHandlerType "EMIAL" is no error handler of this process; ' +
          'known are LOG, IGNORE, THROW, PAGER, WECHAT, DINGTALK, SLACK, WEBHOOK; others',
      ),
    ],
    ['EMAIL', {}, /new EmailErrorHandler\(\) of 'nestjs-elastic-job\/email' to the module's errorHandlers$/],
    ['WECHAT', {}, 'job "j": props: wechat.webhook must be given, for jobErrorHandlerType "WECHAT"'],
    ['WECHAT', { 'wechat.webhook': 'k3y' }, /wechat\.webhook must be an address that begins with https/],
    [
      'DINGTALK',
      { 'dingtalk.webhook': 'http://h', 'dingtalk.readTimeoutMilliseconds': '-1' },
      /dingtalk\.readTimeoutMilliseconds must be a whole number from 1 to 2147483647, for/,
    ],
    [
      'SLACK',
      { 'slack.webhook': 'http://h', 'slack.connectTimeoutMilliseconds': 'x' },
      /slack\.connectTimeoutMilliseconds must be a whole number/,
    ],
    ['WEBHOOK', { 'webhook.authorization': 's3cret' }, /webhook\.url must be given/],
  ])('refuses a job of type %s with props %j, and names the fault without a secret', (type, props, message) => {
    const { handlers, jobOf } = setUp(new Pager(), ...webChannels());
    const start = () => handlers.assertUsable(jobOf(type, props), 'job "j"');
    expect(start).toThrow(ConfigurationError);
    expect(start).toThrow(message);
    expect(start).not.toThrow(/k3y|s3cret/);
  });

  it.each([
    ['WECHAT', 'new WechatErrorHandler()'],
    ['DINGTALK', 'new DingtalkErrorHandler()'],
    ['SLACK', 'new SlackErrorHandler()'],
    ['WEBHOOK', 'new WebhookErrorHandler()'],
  ])('delivers nothing by %s that is not enabled, and logs the failure', (type, remedy) => {
    const { handlers, told, jobOf } = setUp();
    const job = jobOf(type, {
      [`${type.toLowerCase()}.${type === 'WEBHOOK' ? 'url' : 'webhook'}`]: 'http://127.0.0.1:1/',
    });
    expect(() => handlers.assertUsable(job, 'job "j"')).toThrow(`give ${remedy} to the module's errorHandlers`);
    expect(handlers.handle(failure, job)).toBe(false);
    expect(told).toMatchObject([LOGGED, { kind: 'error-handler-failed', type }]);
  });

  it('keeps an error handler type of other processes in an edit, but accepts no new one', () => {
    const { handlers, jobOf } = setUp(new Pager());
    const edit = (from: string | undefined, to: string, props?: JobProps) => () =>
      handlers.assertEditable(jobOf(to, props), { jobErrorHandlerType: from }, 'job "j"');
    expect(edit('THEIRS', 'theirs')).not.toThrow();
    expect(edit('PAGER', 'THEIRS')).toThrow(ConfigurationError);
    expect(edit('PAGER', 'PAGER')).not.toThrow();
    expect(edit('PAGER', 'PAGER', {})).toThrow('number must be given');
    expect(edit(undefined, 'PAGER', {})).toThrow('number must be given');
  });

  it.each<[JobErrorHandler, string, JobProps]>([
    [new WechatErrorHandler({ webhook: 'http://own/' }), 'wechat.webhook', {}],
    [new SlackErrorHandler({ webhook: 'http://own/' }), 'slack.webhook', {}],
    [
      new DingtalkErrorHandler({ webhook: 'http://own/', secret: 'own' }),
      'dingtalk.webhook',
      { 'dingtalk.secret': 's', 'dingtalk.keyword': 'k' },
    ],
    [
      new WebhookErrorHandler({ url: 'http://own/', authorization: 'own' }),
      'webhook.url',
      { 'webhook.authorization': 'a' },
    ],
  ])('needs no props for %o with its own address, and follows none in an edit', (channel, address, secret) => {
    expect(channel.findFaults!({})).toEqual([]);
    expect(channel.findFaults!({ [address]: 'no address' })).toEqual([]);
    const stored = { [address]: 'http://other/', ...secret };
    expect(guardProps({}, stored, channel.targets!, {}).props).toEqual({});
  });

  it('refuses a handler whose type is taken', () => {
    expect(() => setUp(new Pager(), new Pager())).toThrow('errorHandlers: there is more than one of the type "Pager"');
    expect(() => setUp({ type: 'log', handle: () => {} })).toThrow(ConfigurationError);
  });

  it('gives up a handler that still hangs at the end of the shutdown', async () => {
    const { clock, handlers, told, jobOf } = setUp(new Pager(() => new Promise(() => {})));
    handlers.handle(failure, jobOf('PAGER'));
    await clock.advanceUntil(handlers.close(50));
    expect(told).toMatchObject([LOGGED, { kind: 'error-handler-failed', error: { name: 'AbortError' } }]);
  });
});
