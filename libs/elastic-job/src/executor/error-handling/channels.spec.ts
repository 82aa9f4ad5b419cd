import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../clock/index.js';
import type { JobErrorHandler, JobFailure, JobProps } from '../../domain/index.js';
import { type JobEvent, JobEvents } from '../../tracing/index.js';
import {
  DingtalkErrorHandler,
  JobErrorHandlers,
  SlackErrorHandler,
  WebhookErrorHandler,
  WechatErrorHandler,
} from './index.js';

const ALL = [new WechatErrorHandler(), new DingtalkErrorHandler(), new SlackErrorHandler(), new WebhookErrorHandler()];

const clock = new SystemClock();
const failure: JobFailure = {
  jobName: 'settle-orders',
  item: 3,
  taskId: 'settle-orders@-@3@-@READY@-@10.0.0.1@-@1',
  fireTime: Date.UTC(2030, 0, 1),
  source: 'FAILOVER',
  error: new TypeError('no <row> for 鈴木 & co'),
};
const OK = JSON.stringify({ errcode: 0, errmsg: 'ok' });

interface Call {
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, never> & { readonly text: { readonly content: string } };
}

/** A fake of an external service. */
class Service {
  readonly calls: Call[] = [];

  private constructor(
    private readonly server: Server,
    readonly address: string,
  ) {}

  static async start(answer: (response: ServerResponse) => unknown): Promise<Service> {
    const server = createServer((request, response) => void service.take(request, response, answer));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const service = new Service(server, `http://127.0.0.1:${port}`);
    return service;
  }

  private async take(
    request: IncomingMessage,
    response: ServerResponse,
    answer: (response: ServerResponse) => unknown,
  ) {
    const url = new URL(request.url ?? '/', this.address);
    this.calls.push({ url, headers: request.headers, body: JSON.parse(await text(request)) });
    answer(response);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    if (this.server.listening) await new Promise((resolve) => this.server.close(resolve));
  }
}

let service: Service;
afterEach(() => service.stop());

/** Hands one failure over, and waits until it is delivered or given up. @returns the reason if it was not delivered */
async function deliver(
  type: string,
  props: JobProps,
  error: unknown = failure.error,
  channels: readonly JobErrorHandler[] = ALL,
): Promise<readonly JobEvent[]> {
  const events = new JobEvents();
  const told: JobEvent[] = [];
  events.on((event) => void (event.kind === 'error-handler-failed' && told.push(event)));
  const handlers = new JobErrorHandlers(clock, events, channels, 60_000);
  const job = { jobName: failure.jobName, jobErrorHandlerType: type, props };
  handlers.assertUsable(job, 'spec');
  handlers.handle({ ...failure, error }, job);
  await handlers.close(10_000);
  return told;
}

describe('a channel of the web', () => {
  it.each([300, 302, 404, 500])('reports a failed delivery if the server answers %i', async (status) => {
    service = await Service.start((response) => response.writeHead(status).end(OK));
    expect(await deliver('WECHAT', { 'wechat.webhook': service.address })).toMatchObject([
      { error: { fault: `the server answered ${status}` } },
    ]);
  });
});

describe('an answer that is no HTTP', () => {
  it.each([
    ['SLACK', 'slack.webhook'],
    ['WEBHOOK', 'webhook.url'],
    ['WECHAT', 'wechat.webhook'],
    ['DINGTALK', 'dingtalk.webhook'],
  ])('is reported by %s, with nothing of its text', async (type, prop) => {
    service = await Service.start(
      ({ socket }) => void socket!.end('HTTP/1.1 200 OK\r\ncontent-length: a\r\n\r\ns3cret'),
    );

    const told = await deliver(type, { [prop]: service.address });

    expect(told).toMatchObject([
      {
        error: {
          fault: expect.stringContaining('Content-Length'),
          cause: { cause: { code: 'HPE_INVALID_CONTENT_LENGTH' } },
        },
      },
    ]);
    expect(inspect(told, { depth: 9, showHidden: true })).not.toContain('s3cret');
  });
});

describe('an answer without an end', () => {
  it.each([
    ['SLACK', { 'slack.webhook': '' }, []],
    ['WEBHOOK', { 'webhook.url': '' }, []],
    ['WECHAT', { 'wechat.webhook': '' }, [{ error: { fault: expect.stringContaining('has no errcode') } }]],
    ['DINGTALK', { 'dingtalk.webhook': '' }, [{ error: { fault: expect.stringContaining('has no errcode') } }]],
  ])('is read by %s up to 64 KB, and its status counts', async (type, props, told) => {
    let sent = 0;
    service = await Service.start((response) => {
      const chunk = Buffer.alloc(64 * 1024, 'x');
      const more = () => {
        sent += chunk.length;
        if (!response.destroyed) response.write(chunk, more);
      };
      more();
    });

    const addressed = Object.fromEntries(Object.keys(props).map((name) => [name, service.address]));
    expect(await deliver(type, addressed)).toMatchObject(told);

    // Buffers of the kernel and of the client take more than is read.
    expect(sent).toBeLessThan(20_000_000);
  });
});

describe('WECHAT', () => {
  it('sends the failure to the robot as a text of WeCom', async () => {
    service = await Service.start((response) => response.end(OK));
    expect(await deliver('WECHAT', { 'wechat.webhook': `${service.address}/send?key=k` })).toEqual([]);
    const [call] = service.calls;
    expect(call!.url.search).toBe('?key=k');
    expect(call!.headers['content-type']).toMatch(/^application\/json/);
    expect(call!.body).toEqual({ msgtype: 'text', text: { content: expect.any(String) } });
    expect(call!.body.text.content).toMatch(
      /^Job 'settle-orders' exception .*, item 3, at .* caused by TypeError: no <row> for 鈴木 & co\n/,
    );
  });

  it("cuts a long text at the robot's limit, between characters", async () => {
    service = await Service.start((response) => response.end(OK));
    await deliver('WECHAT', { 'wechat.webhook': service.address }, '鈴'.repeat(5_000));
    const { content } = service.calls[0]!.body.text;
    expect(Buffer.byteLength(content)).toBeGreaterThan(2_040);
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(2_048);
    expect(content).toMatch(/鈴$/);
  });

  it("reports the number of a robot's refusal, but neither its words nor its key", async () => {
    service = await Service.start((response) => response.end('{"errcode":93000,"errmsg":"invalid webhook url"}'));
    const told = await deliver('WECHAT', { 'wechat.webhook': `${service.address}/send?key=k3y` });
    expect(told).toMatchObject([
      {
        kind: 'error-handler-failed',
        type: 'WECHAT',
        error: { fault: 'the robot refused it with errcode 93000' },
      },
    ]);
    expect(JSON.stringify(told)).not.toContain('k3y');
  });
});

describe('the answer of a robot', () => {
  it('counts although it comes in two parts', async () => {
    service = await Service.start((response) => {
      response.write(OK.slice(0, 5));
      response.end(OK.slice(5));
    });

    expect(await deliver('WECHAT', { 'wechat.webhook': service.address })).toEqual([]);
  });

  it.each(['{}', 'null', 'done', '{"errcode":"0"}'])('counts as a failed delivery if it is %s', async (answer) => {
    service = await Service.start((response) => response.end(answer));
    expect(await deliver('WECHAT', { 'wechat.webhook': service.address })).toMatchObject([
      { error: { fault: 'the robot refused it with an answer that has no errcode' } },
    ]);
  });
});

describe('DINGTALK', () => {
  it('puts the keyword into the text and signs the address with the secret', async () => {
    service = await Service.start((response) => response.end(OK));
    const before = clock.wallNow();
    const props = {
      'dingtalk.webhook': `${service.address}/robot/send?access_token=t`,
      'dingtalk.keyword': 'alarm: ',
      'dingtalk.secret': 'SEC1',
    };
    expect(await deliver('DINGTALK', props)).toEqual([]);
    const { body, url } = service.calls[0]!;
    const timestamp = url.searchParams.get('timestamp')!;
    expect(Number(timestamp)).toBeGreaterThanOrEqual(before);
    expect(url.searchParams.get('access_token')).toBe('t');
    expect(url.searchParams.get('sign')).toBe(
      createHmac('sha256', 'SEC1').update(`${timestamp}\nSEC1`).digest('base64'),
    );
    expect(body).toEqual({ msgtype: 'text', text: { content: expect.stringMatching(/^alarm: Job 'settle-orders' /) } });
  });

  it('does not sign the address without a secret', async () => {
    service = await Service.start((response) => response.end(OK));
    await deliver('DINGTALK', { 'dingtalk.webhook': `${service.address}/robot/send?access_token=t` });
    expect(service.calls[0]!.url.search).toBe('?access_token=t');
  });
});

describe('SLACK', () => {
  it('removes the characters that have a meaning for Slack', async () => {
    service = await Service.start((response) => response.end('ok'));
    expect(await deliver('SLACK', { 'slack.webhook': `${service.address}/services/T/B/x` })).toEqual([]);
    expect(service.calls[0]!.body).toEqual({
      text: expect.stringContaining('TypeError: no &lt;row&gt; for 鈴木 &amp; co'),
    });
  });

  it('cuts a long text to the 40,000 characters that Slack takes', async () => {
    service = await Service.start((response) => response.end('ok'));
    await deliver('SLACK', { 'slack.webhook': service.address }, '<'.repeat(40_000));
    expect(service.calls[0]!.body.text).toHaveLength(40_000);
  });
});

describe('WEBHOOK', () => {
  it("posts the facts and the text, with the job's authorization", async () => {
    service = await Service.start((response) => response.writeHead(204).end());
    const props = { 'webhook.url': `${service.address}/alarms`, 'webhook.authorization': 'Bearer b' };
    expect(await deliver('WEBHOOK', props)).toEqual([]);
    const { body, headers } = service.calls[0]!;
    expect(headers.authorization).toBe('Bearer b');
    expect(body).toMatchObject({
      jobName: 'settle-orders',
      item: 3,
      taskId: failure.taskId,
      fireTime: '2030-01-01T00:00:00.000Z',
      source: 'FAILOVER',
      error: { name: 'TypeError', message: 'no <row> for 鈴木 & co', stack: expect.stringContaining('\n    at ') },
      count: 1,
      text: expect.stringMatching(/^Job 'settle-orders'/),
    });
  });

  it('sends no authorization if the job has none', async () => {
    service = await Service.start((response) => response.writeHead(204).end());

    expect(await deliver('WEBHOOK', { 'webhook.url': service.address })).toEqual([]);

    expect(service.calls[0]!.headers).not.toHaveProperty('authorization');
  });

  it('refuses an authorization that is no text, and does not show it', () => {
    const wrong: object = { authorization: 12_345 };

    expect(() => new WebhookErrorHandler({ ...wrong })).toThrow(/authorization must be a text$/);
  });

  it('reports the status of a failed answer, and nothing of its text', async () => {
    service = await Service.start((response) => response.writeHead(500).end('out of order'));
    expect(await deliver('WEBHOOK', { 'webhook.url': service.address })).toMatchObject([
      { kind: 'error-handler-failed', error: { code: 'DELIVERY', fault: 'the server answered 500' } },
    ]);
  });

  it('does not follow a redirect, and reports its status', async () => {
    service = await Service.start((response) => response.writeHead(307, { location: '/elsewhere' }).end());
    expect(await deliver('WEBHOOK', { 'webhook.url': service.address })).toMatchObject([
      { kind: 'error-handler-failed', error: { fault: 'the server answered 307' } },
    ]);
    expect(service.calls).toHaveLength(1);
  });

  it("prefers the address and authorization of the process over the job's props", async () => {
    service = await Service.start((response) => response.writeHead(204).end());
    const own = new WebhookErrorHandler({ url: `${service.address}/ours`, authorization: 'Bearer ours' });
    const props = { 'webhook.url': 'http://127.0.0.1:1/theirs', 'webhook.authorization': 'Bearer theirs' };
    expect(await deliver('WEBHOOK', props, failure.error, [own])).toEqual([]);
    expect(service.calls).toMatchObject([{ url: { pathname: '/ours' }, headers: { authorization: 'Bearer ours' } }]);
  });

  it('gives up on a service that hangs once its time limits are over', async () => {
    service = await Service.start(() => {});
    const limits = { 'webhook.connectTimeoutMilliseconds': '100', 'webhook.readTimeoutMilliseconds': '200' };
    const since = clock.monotonicNow();
    expect(await deliver('WEBHOOK', { 'webhook.url': service.address, ...limits })).toMatchObject([
      { kind: 'error-handler-failed', error: { code: 'DELIVERY', fault: 'no answer within 300 ms' } },
    ]);
    expect(clock.monotonicNow() - since).toBeGreaterThanOrEqual(300);
  });

  it('emits an event if no service listens at the address', async () => {
    service = await Service.start(() => {});
    await service.stop();
    expect(await deliver('WEBHOOK', { 'webhook.url': service.address })).toMatchObject([
      { kind: 'error-handler-failed', error: { code: 'DELIVERY', fault: expect.stringContaining('ECONNREFUSED') } },
    ]);
  });
});
