import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PageFiles } from './page-files.js';

const SCRIPT = 'console.log(1)';

async function builtPage() {
  const root = await mkdtemp(join(tmpdir(), 'page-'));
  onTestFinished(() => rm(root, { recursive: true }));
  await mkdir(join(root, 'page/assets'), { recursive: true });
  await writeFile(join(root, 'secret.js'), 'secret');
  await writeFile(join(root, 'page/index.html'), '<base href="%BASE%">');
  await writeFile(join(root, 'page/THIRD-PARTY-NOTICES.md'), 'notices');
  await writeFile(join(root, 'page/assets/index-1.js'), SCRIPT);
  await writeFile(join(root, 'page/assets/index-1.js.br'), brotliCompressSync(SCRIPT));
  await writeFile(join(root, 'page/assets/index-1.js.gz'), gzipSync(SCRIPT));
  await writeFile(join(root, 'page/assets/style-1.css'), 'a{}');
  await writeFile(join(root, 'page/assets/key.pem'), 'secret');
  const files = new PageFiles(async () => pathToFileURL(join(root, 'page/')));
  return async (below: string, headers = {}, method = 'GET') => {
    const { body, ...answer } = await files.answer({ below, base: '../' }, { headers, method });
    if (body !== undefined && !Buffer.isBuffer(body)) throw new Error('A file is answered by its bytes.');
    return { ...answer, body };
  };
}

describe('files of the page', () => {
  it('has index.html name the way back to the console, and never lets it be kept', async () => {
    const answer = await builtPage();
    const { body, headers, status } = await answer('/jobs/settle-orders');

    expect([status, String(body)]).toEqual([200, '<base href="../">']);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' });
  });

  it.each([
    ['br, gzip', 'br', brotliCompressSync(SCRIPT)],
    ['gzip;q=1.0, br;q=0', 'gzip', gzipSync(SCRIPT)],
    ['*', 'br', brotliCompressSync(SCRIPT)],
    ['identity', undefined, Buffer.from(SCRIPT)],
    [undefined, undefined, Buffer.from(SCRIPT)],
    ['x-unknown', undefined, Buffer.from(SCRIPT)],
  ])('sends to a client that takes %s the encoding %s', async (accepted, encoding, bytes) => {
    const answer = await builtPage();
    const { body, headers, status } = await answer('/assets/index-1.js', accepted && { 'accept-encoding': accepted });

    expect([status, headers['content-encoding'], headers['vary']]).toEqual([200, encoding, 'accept-encoding']);
    expect(headers['cache-control']).toContain('immutable');
    expect(body?.equals(bytes)).toBe(true);
  });

  it('sends nothing again that the client has, and to HEAD the headers alone', async () => {
    const answer = await builtPage();
    const { headers } = await answer('/assets/style-1.css');

    expect(await answer('/assets/style-1.css', { 'if-none-match': `"x", W/${String(headers['etag'])}` })).toMatchObject(
      {
        status: 304,
        body: undefined,
      },
    );
    expect(await answer('/assets/style-1.css', { 'if-none-match': '"x"' })).toMatchObject({ status: 200 });
    expect(await answer('/assets/style-1.css', {}, 'HEAD')).toMatchObject({
      status: 200,
      body: undefined,
      headers: { 'content-length': '3', etag: headers['etag'] },
    });
  });

  it.each([
    '/assets/',
    '/assets/nothing.js',
    '/assets/index-1.js.br',
    '/assets/INDEX-1.JS',
    '/assets/../index.html',
    '/assets/..%2f..%2fsecret.js',
    '/assets/../../secret.js',
    '/assets/%2e%2e/index.html',
    '/assets/index-1.js%00.css',
    '/assets/./index-1.js',
    '/assets//index-1.js',
    '/assets/..\\index.html',
    '/assets/key.pem',
    '/assets/constructor',
    '/assets/__proto__',
    '/assets/../THIRD-PARTY-NOTICES.md',
  ])('has no file %s (A23)', async (below) => {
    const answer = await builtPage();
    const { body, headers, status } = await answer(below);

    expect([status, String(body)]).toEqual([404, 'There is no such file.\n']);
    expect(headers['cache-control']).toBe('no-store');
  });

  it('lets no other site show it, and nothing run that is not its own (A24)', async () => {
    const answer = await builtPage();
    for (const below of ['', '/assets/index-1.js', '/assets/nothing.js']) {
      const { headers } = await answer(below);
      expect(headers).toMatchObject({
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'permissions-policy': expect.stringContaining('camera=()'),
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      });
      expect(String(headers['content-security-policy']).split('; ')).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ]);
    }
  });

  it('says that it is not built, until it is', async () => {
    let folder: URL | undefined;
    const files = new PageFiles(async () => folder);
    const ask = () => files.answer({ below: '', base: './' }, { headers: {}, method: 'GET' });

    expect(await ask()).toMatchObject({ status: 404 });

    const root = await mkdtemp(join(tmpdir(), 'page-'));
    onTestFinished(() => rm(root, { recursive: true }));
    await mkdir(join(root, 'assets'));
    await writeFile(join(root, 'index.html'), '%BASE%');
    folder = pathToFileURL(`${root}/`);
    expect(await ask()).toMatchObject({ status: 200 });
  });
});
