import { Controller, Get, VersioningType } from '@nestjs/common';
import { describe, expect, it, vi } from 'vitest';
import { CONSOLE_ROUTES } from '../../libs/elastic-job/src/console/index.js';
import { FRAMEWORKS, startConsole, TOKENS } from './support/console-application.js';

@Controller('orders')
class OrdersController {
  @Get()
  list(): readonly string[] {
    return ['the application’s own'];
  }
}

describe.each(FRAMEWORKS)('the console on %s', (framework) => {
  it('serves the jobs of the application', async () => {
    const { ask } = await startConsole({ framework });

    await vi.waitFor(async () => {
      const { json, status } = await ask('GET', '/jobs');
      expect([status, json.items.map((row: { job: string }) => row.job)]).toEqual([
        200,
        ['billing-run', 'settle-orders'],
      ]);
    }, 10_000);
    expect(await ask('GET', '/jobs/settle-orders')).toMatchObject({
      status: 200,
      json: { job: 'settle-orders', label: 'finance', items: 3 },
    });
    expect((await ask('GET', '/jobs/settle-orders/items')).json.items).toHaveLength(3);
    expect(await ask('POST', '/jobs/settle-orders/trigger', { body: { reason: 'test' } })).toMatchObject({
      status: 202,
    });
    expect(await ask('GET', '/audit')).toMatchObject({
      status: 200,
      json: { items: [{ who: 'admin', action: expect.stringContaining('trigger'), outcome: 'done', reason: 'test' }] },
    });
  });

  it('answers each route of its table, also below a prefix and beside versions', async () => {
    const { ask, origin } = await startConsole({
      framework,
      controllers: [OrdersController],
      before: (app) => {
        app.setGlobalPrefix('internal');
        app.enableVersioning({ type: VersioningType.URI, defaultVersion: '2' });
      },
    });
    const base = `${origin}/internal/elastic-job/api/v1`;
    for (const { method, path, role } of CONSOLE_ROUTES) {
      const url = base + path.replaceAll(/:(\w+)/g, (_, name) => (name === 'item' ? '0' : 'x'));
      const { headers, status } = await ask(method, url, { token: '', ...(method !== 'GET' && { body: {} }) });
      expect([method, path, role === 'anybody' || status === 401]).toEqual([method, path, true]);
      expect(headers.get('cache-control')).toContain('no-store');
      expect(headers.get('content-type')).toContain('application/problem+json');
    }
    expect((await ask('GET', `${origin}/internal/v2/orders`)).json).toEqual(['the application’s own']);
  });

  it.each([
    ['GET', '', 404],
    ['GET', '/', 404],
    ['GET', '/nothing', 404],
    ['POST', '/nothing/at/all', 404],
    ['PUT', '/jobs', 405],
    ['DELETE', '/jobs', 405],
    ['OPTIONS', '/jobs', 405],
    ['GET', '/jobs/a%2fb', 400],
    ['GET', '/jobs/%00', 400],
    ['GET', `/jobs/${'x'.repeat(200)}`, 404],
    ['GET', '/jobs/zookeeper', 400],
  ])('answers %s %s with the problem %i', async (method, path, status) => {
    const { ask } = await startConsole({ framework });
    const answer = await ask(method, path, { token: TOKENS.viewer });

    expect([answer.status, answer.json]).toEqual([status, expect.objectContaining({ status })]);
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  });

  it('refuses a URL that cannot be decoded', async () => {
    const { base } = await startConsole({ framework });
    // Fastify itself answers that, before any route, and by no problem.
    expect((await fetch(`${base}/jobs/%zz`)).status).toBe(400);
  });
});
