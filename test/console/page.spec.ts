import { Controller, Get } from '@nestjs/common';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensurePage } from '../../src/console/built-page.js';
import { LIMITS } from '../support/limits.js';
import { FRAMEWORKS, startConsole } from './support/console-application.js';

@Controller('elastic-job/orders')
class OrdersController {
  @Get()
  list(): readonly string[] {
    return ['the application’s own'];
  }
}

describe.each(FRAMEWORKS)('the page of the console on %s', (framework) => {
  beforeAll(() => ensurePage(), LIMITS.timeout);

  it.each([
    ['', './elastic-job/'],
    ['/', './'],
    ['/jobs', './'],
    ['/jobs?q=settle&attention=any', './'],
    ['/jobs/com.example.Settle/config', '../../'],
    [`/jobs/${'x'.repeat(300)}`, '../'],
    ['/jobs/%E7%BB%93%E7%AE%97', '../'],
    ['/servers/10.0.0.1', '../'],
    ['/runs?outcome=failed', './'],
    ['/runs/01jd8', '../'],
    ['/events', './'],
    ['/audit', './'],
    ['/session', './'],
    ['/new-job', './'],
  ])('is served at %s, with the way back to the console', async (path, base) => {
    const { ask, origin } = await startConsole({ framework });
    const { headers, status, text } = await ask('GET', `${origin}/elastic-job${path}`, { token: '' });

    expect([status, /<base href="(.*?)"/.exec(text)?.[1]]).toEqual([200, base]);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  it('is served with its files below a prefix and at another path', async () => {
    const { origin } = await startConsole({
      framework,
      console: { path: '/operate/jobs' },
      before: (app) => void app.setGlobalPrefix('internal'),
    });
    const at = `${origin}/internal/operate/jobs/servers/10.0.0.1`;
    const html = await (await fetch(at)).text();
    const base = new URL(/<base href="(.*?)"/.exec(html)![1]!, at);
    expect(base.pathname).toBe('/internal/operate/jobs/');

    const files = [...html.matchAll(/(?:src|href)="(\.\/assets\/.*?)"/g)].map(([, file]) => new URL(file!, base));
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) {
      const accepted = { 'accept-encoding': 'br' };
      const response = await fetch(file, { headers: accepted });
      expect([file.pathname, response.status]).toEqual([file.pathname, 200]);
      expect(response.headers.get('content-encoding')).toBe('br');
      expect(response.headers.get('cache-control')).toContain('immutable');
      const again = await fetch(file, { headers: { ...accepted, 'if-none-match': response.headers.get('etag')! } });
      expect([again.status, await again.text()]).toEqual([304, '']);
      const head = await fetch(file, { method: 'HEAD', headers: accepted });
      expect([head.status, head.headers.get('etag')]).toEqual([200, response.headers.get('etag')]);
    }
  });

  it('leaves the application its own routes below the path of the console', async () => {
    const { origin } = await startConsole({ framework, controllers: [OrdersController] });

    expect(await (await fetch(`${origin}/elastic-job/orders`)).json()).toEqual(['the application’s own']);
    expect((await fetch(`${origin}/elastic-job/api/v1/jobs`)).status).toBe(401);
  });

  it.each([
    '/assets/..%2findex.html',
    '/assets/%2e%2e%2f%2e%2e%2fpackage.json',
    '/assets/..%5cindex.html',
    '/assets/nothing.js',
    '/assets/a/b.js',
    '/elsewhere',
    '/THIRD-PARTY-NOTICES.md',
    '/jobsx',
  ])('has nothing at %s (A23)', async (path) => {
    const { origin } = await startConsole({ framework });
    const response = await fetch(`${origin}/elastic-job${path}`);

    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain('<base');
  });

  it('keeps its headers whatever CORS the application allows (A24)', async () => {
    const { origin } = await startConsole({ framework, before: (app) => app.enableCors({ origin: true }) });
    const { headers } = await fetch(`${origin}/elastic-job`, { headers: { origin: 'https://evil.example' } });

    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'");
  });
});
