import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../clock/index.js';
import { CancelledError, type JobProps, type ShardingContext } from '../../domain/index.js';
import { all, setUp, SUCCEEDED } from '@test/support/unit/hand-made-lease.js';
import { HttpJobError, HttpJobType } from './http.job-type.js';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** Starts a real server on a free port. @returns its address */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' ? `http://127.0.0.1:${address?.port}` : fail();
}

function fail(): never {
  throw new Error('The server has no port.');
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}

/** @param facts replace those of the context */
function runItem(props: JobProps, facts: Partial<ShardingContext> = {}) {
  const stage = setUp({ items: [1], options: { props, shardingItemParameters: '1=Zürich' } });
  const type = new HttpJobType(new SystemClock());
  const execute = (context: ShardingContext) => type.execute({ ...context, ...facts });
  return { ...stage, outcome: async () => (await all(stage.run(execute)))[0]!.outcome };
}

async function errorOf(props: JobProps): Promise<HttpJobError> {
  const outcome = await runItem(props).outcome();
  if (outcome.kind === 'failed' && outcome.error instanceof HttpJobError) return outcome.error;
  throw new Error(`It ended as ${outcome.kind}.`);
}

describe('an HTTP job', () => {
  it('sends context and token to the service, and succeeds with its answer', async () => {
    const seen: IncomingMessage['headers'][] = [];
    const uri = await serve((request, response) => {
      seen.push(request.headers);
      response.end('done');
    });

    expect(await runItem({ 'http.uri': uri, 'http.method': 'GET' }).outcome()).toEqual(SUCCEEDED);

    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ 'elastic-job-token': '101', 'elastic-job-token-epoch': '3', connection: 'close' });
    expect(JSON.parse(String(seen[0]!['shardingcontext']))).toEqual({
      jobName: 'settle-orders',
      taskId: 'settle-orders@-@1@-@READY@-@10.0.0.1@-@1-s1',
      shardingTotalCount: 5,
      jobParameter: '',
      shardingItem: 1,
      shardingParameter: 'Zürich',
    });
  });

  it('sends no token if the run has none', async () => {
    const seen: string[] = [];
    const uri = await serve((request, response) => {
      seen.push(...Object.keys(request.headers));
      response.end();
    });

    expect(await runItem({ 'http.uri': uri, 'http.method': 'GET' }, { token: undefined }).outcome()).toEqual(SUCCEEDED);

    expect(seen.filter((name) => name.startsWith('elastic-job'))).toEqual([]);
  });

  it.each(['HEAD', 'GET'])('succeeds with a %s request that is answered without a body', async (method) => {
    const uri = await serve((_, response) => response.writeHead(204).end());

    expect(await runItem({ 'http.uri': uri, 'http.method': method }).outcome()).toEqual(SUCCEEDED);
  });

  it('leaves no time limit behind', async () => {
    const uri = await serve((_, response) => response.end('done'));
    const { clock, run } = setUp({ items: [1], options: { props: { 'http.uri': uri, 'http.method': 'GET' } } });
    const type = new HttpJobType(clock);

    expect(await all(run((context) => type.execute(context)))).toMatchObject([{ outcome: SUCCEEDED }]);

    expect(clock.pendingTimers).toBe(0);
  });

  it.each([
    ['POST', 'a=1&b=ü'],
    ['PUT', 'a=1&b=ü'],
    ['DELETE', 'a=1&b=ü'],
    ['PATCH', 'a=1&b=ü'],
    ['GET', ''],
    ['OPTIONS', ''],
  ])('makes a %s request with the body "%s" if it has data', async (method, body) => {
    const bodies: string[] = [];
    const uri = await serve(async (request, response) => {
      bodies.push(`${request.method} ${await bodyOf(request)} ${request.headers['content-type'] ?? 'untyped'}`);
      response.end();
    });

    await runItem({ 'http.uri': uri, 'http.method': method, 'http.data': 'a=1&b=ü' }).outcome();

    expect(bodies).toEqual([`${method} ${body} ${body ? 'application/x-www-form-urlencoded' : 'untyped'}`]);
  });

  it('gives a body the content type of the props', async () => {
    const types: unknown[] = [];
    const uri = await serve((request, response) => {
      types.push(request.headers['content-type']);
      response.end();
    });

    await runItem({
      'http.uri': uri,
      'http.method': 'POST',
      'http.data': '{}',
      'http.content.type': 'application/json',
    }).outcome();

    expect(types).toEqual(['application/json']);
  });

  it.each([400, 404, 500, 503])(
    'fails an item that is answered with status %i, and keeps the beginning of the answer hidden',
    async (status) => {
      const uri = await serve((_, response) => response.writeHead(status).end('no '.repeat(10_000)));

      const error = await errorOf({ 'http.uri': `${uri}/settle?token=secret`, 'http.method': 'POST' });

      expect(error).toMatchObject({ code: 'HTTP_JOB', jobName: 'settle-orders', item: 1, status });
      expect(error.body?.reveal()).toHaveLength(1_000);
      expect(error.message).toBe(
        `Item 1 of job "settle-orders": POST ${uri}/settle was answered with status ${status}`,
      );
      expect(inspect(error)).not.toContain('no no');
    },
  );

  it('fails at a redirect, which it does not follow', async () => {
    const asked: (string | undefined)[] = [];
    const uri = await serve((request, response) => {
      asked.push(request.url);
      response.writeHead(302, { location: '/new' }).end();
    });

    const error = await errorOf({ 'http.uri': `${uri}/old`, 'http.method': 'GET' });

    expect(error.message).toMatch(/GET .*\/old was answered with status 302, a redirect, which is not followed$/);
    expect(asked).toEqual(['/old']);
  });

  it('fails at an answer that is no HTTP, and shows nothing of it', async () => {
    const uri = await serve((_, { socket }) => void socket!.end('HTTP/1.1 200 OK\r\ncontent-length: a\r\n\r\ns3cret'));

    const error = await errorOf({ 'http.uri': uri, 'http.method': 'GET' });

    expect(error).toMatchObject({
      message: expect.stringMatching(/ failed: .*Content-Length/),
      cause: { cause: { name: 'HTTPParserError', code: 'HPE_INVALID_CONTENT_LENGTH' } },
    });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('s3cret');
  });

  it('fails with the message of the operating system if nobody listens', async () => {
    const uri = await serve(() => {});
    servers.splice(0).forEach((server) => server.close());

    const error = await errorOf({ 'http.uri': uri, 'http.method': 'GET' });

    expect(error.message).toMatch(/failed: .*ECONNREFUSED/);
    expect([error.status, error.body]).toEqual([undefined, undefined]);
  });
});

describe('a service that is silent', () => {
  const TIMEOUTS = { 'http.connect.timeout.milliseconds': '30', 'http.read.timeout.milliseconds': '50' };

  it('fails the item once connect and read time-out are over without an answer', async () => {
    const uri = await serve(() => {});

    const error = await errorOf({ 'http.uri': uri, 'http.method': 'GET', ...TIMEOUTS });

    expect(error.message).toMatch(/was silent for 80 ms/);
  });

  it('fails the item after the read time-out if its answer stops in the middle', async () => {
    const uri = await serve((_, response) => void response.write('begun'));

    const error = await errorOf({ 'http.uri': uri, 'http.method': 'GET', ...TIMEOUTS });

    expect(error.message).toMatch(/was silent for 50 ms/);
  });

  it('succeeds at the end of an answer in small pieces, though it takes longer than any time-out', async () => {
    const clock = new SystemClock();
    let isEnded = false;
    const uri = await serve(async (_, response) => {
      for (let part = 0; part < 10; part++) {
        response.write('.');
        await clock.sleep(20);
      }
      isEnded = true;
      response.end();
    });

    const props = { 'http.uri': uri, 'http.method': 'GET', ...TIMEOUTS, 'http.read.timeout.milliseconds': '150' };
    expect(await runItem(props).outcome()).toEqual(SUCCEEDED);

    expect(isEnded).toBe(true);
  });
});

describe('an item that is told to stop', () => {
  it("closes the connection when the signal aborts, with the signal's reason as the outcome", async () => {
    const reason = new CancelledError('settle-orders', 1);
    let close = (): void => {};
    const closed = new Promise<void>((resolve) => (close = resolve));
    const uri = await serve((_, response) => {
      response.once('close', close);
      run.lease.abortItem(1, reason);
    });
    const run = runItem({ 'http.uri': uri, 'http.method': 'GET' });

    expect(await run.outcome()).toEqual({ kind: 'aborted', reason });

    await closed;
    expect(run.openEnds()).toEqual({ timers: 0, listeners: 0 });
  });

  it('has the reason of its signal as its error', async () => {
    const reason = new CancelledError('settle-orders', 1);
    const uri = await serve(() => run.lease.abortItem(1, reason));
    const run = setUp({ items: [1], options: { props: { 'http.uri': uri, 'http.method': 'GET' } } });
    const type = new HttpJobType(new SystemClock());
    let error: unknown;

    await all(run.run((context) => type.execute(context).catch((thrown: unknown) => void (error = thrown))));

    expect(error).toBe(reason);
  });
});

describe('the props of an HTTP job', () => {
  const { findFaults } = new HttpJobType(new SystemClock());
  const RIGHT = { 'http.uri': 'https://example.org/settle?x=1', 'http.method': 'POST' };

  it('are accepted if URI and method are right, with or without optional ones', () => {
    expect(findFaults(RIGHT)).toEqual([]);
    expect(findFaults({ ...RIGHT, 'http.content.type': '', 'http.read.timeout.milliseconds': '5000' })).toEqual([]);
    expect(findFaults({ ...RIGHT, 'http.uri': 'http://host:8080/', 'http.content.type': 'text/plain' })).toEqual([]);
  });

  it('are refused with the name of each required one that is missing', () => {
    expect(findFaults({})).toEqual([
      'http.uri must be given, such as "https://example.org/settle"',
      'http.method must be given, such as "POST"',
    ]);
  });

  it.each<[JobProps, string]>([
    [{ 'http.uri': '/settle' }, 'http.uri must be an absolute URL'],
    [{ 'http.uri': 'host/settle?key=secret' }, 'http.uri must be an absolute URL'],
    [{ 'http.uri': '//me:secret@host/settle' }, 'http.uri must be an absolute URL'],
    [{ 'http.uri': 'xhttp://host/' }, 'http.uri must begin with http:// or https://'],
    [{ 'http.uri': 'https://secret@host/' }, 'http.uri must not hold a user or a password'],
    [{ 'http.uri': 'https://:secret@host/' }, 'http.uri must not hold a user or a password'],
    [{ 'http.uri': 'ftp://host/' }, 'http.uri must begin with http:// or https://'],
    [{ 'http.uri': 'https://me:secret@host/' }, 'http.uri must not hold a user or a password'],
    [{ 'http.method': 'post' }, 'http.method must be one of GET, HEAD, POST, PUT, DELETE, OPTIONS, PATCH'],
    [{ 'http.content.type': 'text/plain\nx: y' }, 'http.content.type must fit a header'],
    [
      { 'http.connect.timeout.milliseconds': '3s' },
      'http.connect.timeout.milliseconds must be a whole number from 1 to 2147483647',
    ],
    [
      { 'http.read.timeout.milliseconds': '0' },
      'http.read.timeout.milliseconds must be a whole number from 1 to 2147483647',
    ],
  ])('are refused for %j by a fault that names the property, and not its value', (wrong, fault) => {
    expect(findFaults({ ...RIGHT, ...wrong })).toEqual([fault]);
  });
});
