import { InstanceClock } from '@app/elastic-job/testing';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import {
  type CallHandler,
  type CanActivate,
  Catch,
  type ExceptionFilter,
  type NestInterceptor,
  type PipeTransform,
  ValidationPipe,
} from '@nestjs/common';
import { connect } from 'node:net';
import { map } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { AUTH, FRAMEWORKS, startConsole, TOKENS } from './support/console-application.js';

const open: CanActivate = { canActivate: () => true };
const changing: NestInterceptor = { intercept: (_, next: CallHandler) => next.handle().pipe(map(() => 'changed')) };
const emptying: PipeTransform = { transform: () => undefined };

const DAY_MS = 86_400_000;

class ClockOfTomorrow extends InstanceClock {
  override wallNow(): number {
    return super.wallNow() + DAY_MS;
  }
}

@Catch()
class SayingOk implements ExceptionFilter {
  catch(_: unknown, host: Parameters<ExceptionFilter['catch']>[1]): void {
    host.switchToHttp().getResponse().status(200).send({});
  }
}

/** Sends a text as it is. @returns all that comes until the other end closes */
function sendRaw(port: number, sent: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: string[] = [];
    const socket = connect(port, '127.0.0.1', () => void socket.write(sent));
    socket.setEncoding('utf8').on('data', (chunk: string) => void chunks.push(chunk));
    socket.on('close', () => resolve(chunks.join(''))).on('error', reject);
  });
}

describe.each(FRAMEWORKS)('the console on %s', (framework) => {
  it('keeps what it refuses under guards, pipes, interceptors, filters and CORS of the application (A25)', async () => {
    const { ask } = await startConsole({
      framework,
      before: (app) => {
        app.useGlobalGuards(open);
        app.useGlobalPipes(emptying, new ValidationPipe({ whitelist: true }));
        app.useGlobalInterceptors(changing);
        app.useGlobalFilters(new SayingOk());
        if (framework === 'express') app.enableCors({ origin: true, credentials: true });
      },
    });
    const headers = { origin: 'https://evil.example' };
    expect(await ask('GET', '/jobs', { token: '' })).toMatchObject({ status: 401, json: { code: 'UNAUTHENTICATED' } });
    expect((await ask('POST', '/jobs/settle-orders/trigger', { token: TOKENS.viewer, body: {} })).status).toBe(403);
    expect((await ask('POST', '/jobs/settle-orders/trigger', { body: { unknown: 1 } })).status).toBe(400);
    const answer = await ask('GET', '/session', { headers });
    expect(answer.json).toMatchObject({ name: 'admin', role: 'admin' });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('sends headers with each answer that keep it from caches, frames and scripts (A23, A24)', async () => {
    const { ask } = await startConsole({ framework });
    for (const { headers } of [
      await ask('GET', '/session'),
      await ask('GET', '/nothing'),
      await ask('GET', '/jobs', { token: '' }),
    ]) {
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
    }
  });

  it('tells the time by which its instants are, for clients whose clock is another one', async () => {
    const { ask } = await startConsole({ framework, options: { clock: new ClockOfTomorrow(new SystemClock()) } });
    const tomorrow = Date.now() + DAY_MS;

    const { headers } = await ask('GET', '/session');

    expect(Date.parse(headers.get('date') ?? '')).toBeGreaterThan(tomorrow - 60_000);
  });

  it('takes no token from a URL, and shows none in an answer (A20)', async () => {
    const { ask } = await startConsole({ framework });
    const answer = await ask('GET', `/jobs?access_token=${TOKENS.admin}`, { token: '' });

    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.text + JSON.stringify([...answer.headers])).not.toContain(TOKENS.admin);
  });

  it('hides the jobs of others from a prefix, however they are asked for (A05)', async () => {
    const { ask } = await startConsole({ framework });
    const token = TOKENS.scoped;
    await vi.waitFor(async () => {
      const { json } = await ask('GET', '/jobs', { token });
      expect(json.items.map((row: { job: string }) => row.job)).toEqual(['billing-run']);
      expect(json.total).toBe(1);
    }, 10_000);
    for (const job of ['settle-orders', 'Settle-Orders', 'billing-%2e%2e%2fsettle-orders', '%73ettle-orders']) {
      expect([400, 404]).toContain((await ask('GET', `/jobs/${job}`, { token })).status);
    }
    expect([400, 404]).toContain((await ask('GET', '/live?topics=job:settle-orders', { token })).status);
  });

  it('answers nobody but this host without auth, and nothing that a proxy has passed on (A22)', async () => {
    const { ask } = await startConsole({ framework, console: { auth: undefined } });
    const passedOn: Readonly<Record<string, string>>[] = [
      { 'x-forwarded-for': '127.0.0.1' },
      { forwarded: 'for=127.0.0.1' },
      { 'x-forwarded-host': 'a' },
    ];
    for (const headers of passedOn) {
      expect(await ask('GET', '/jobs', { token: '', headers })).toMatchObject({ status: 403 });
    }
    expect((await ask('GET', '/jobs', { token: '' })).status).toBe(401);
  });

  it('ends a request whose body does not come (A17)', { timeout: 40_000 }, async () => {
    const { port } = await startConsole({ framework });
    const began = performance.now();
    const text = await sendRaw(
      port,
      'POST /elastic-job/api/v1/jobs/settle-orders/trigger HTTP/1.1\r\nhost: 127.0.0.1\r\n' +
        `authorization: Bearer ${TOKENS.admin}\r\ncontent-type: application/json\r\ncontent-length: 20\r\n\r\n{"rea`,
    );
    expect(text).toContain('HTTP/1.1 408');
    expect(text).toContain('application/problem+json');
    expect(performance.now() - began).toBeGreaterThan(9_000);
  });

  it('tells of changes, and ends its streams when the application closes', async () => {
    const { base, close } = await startConsole({ framework });
    const response = await fetch(`${base}/live?topics=overview`, {
      headers: { authorization: `Bearer ${TOKENS.viewer}` },
    });

    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toContain('overview');
    const closing = close();
    const read = async (): Promise<void> => {
      if (!(await reader.read()).done) await read();
    };
    await read();
    await closing;
  });

  it('lets a person open no more streams than the limit (A18)', async () => {
    const { base, close } = await startConsole({ framework, console: { limits: { streamsPerPerson: 2 } } });
    const headers = { authorization: `Bearer ${TOKENS.viewer}` };
    const openStream = () => fetch(`${base}/live?topics=jobs`, { headers });
    const streams = [await openStream(), await openStream()];
    const third = await openStream();

    expect([...streams.map(({ status }) => status), third.status]).toEqual([200, 200, 429]);
    expect(third.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await third.json()).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    await Promise.all([close(), ...streams.map((stream) => stream.text())]);
  });

  it('counts changes and reads of each person (A18)', async () => {
    const { ask } = await startConsole({
      framework,
      console: { limits: { changesPerMinute: 1, readsPerSecond: 10_000 } },
    });
    const change = (token: string) => ask('POST', '/jobs/settle-orders/trigger', { token, body: {} });
    expect((await change(TOKENS.operator)).status).toBe(202);
    const second = await change(TOKENS.operator);
    expect([second.status, second.json.code]).toEqual([429, 'TOO_MANY_REQUESTS']);
    expect((await change(TOKENS.admin)).status).toBe(202);
  });

  it('asks a function of the application who is who', async () => {
    const auth = (request: unknown) => {
      const headers: unknown = Reflect.get(Object(request), 'headers');
      return Reflect.get(Object(headers), 'x-user') === 'ada' ? { name: 'ada', role: 'viewer' as const } : undefined;
    };
    const { ask } = await startConsole({ framework, console: { auth } });
    expect((await ask('GET', '/session', { token: '', headers: { 'x-user': 'ada' } })).json).toMatchObject({
      name: 'ada',
      by: 'host',
    });
    expect((await ask('GET', '/session', { token: '' })).status).toBe(401);
  });
});

describe('the application', () => {
  it('has its console also where it runs no jobs itself', async () => {
    const { ask } = await startConsole({ options: { processing: false }, providers: [] });
    expect((await ask('GET', '/jobs')).json.items).toEqual([]);
  });

  it('refuses options of the console that are wrong or unknown', async () => {
    const wrong = { auth: AUTH, readonly: true, path: 'a b' };
    await expect(startConsole({ console: wrong })).rejects.toThrow(/did you mean readOnly/);
  });
});
