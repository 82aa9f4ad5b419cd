import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { ConsoleRequest, WholeAnswer } from '../contract/index.js';
import { packedPage } from './packed-page.js';
import type { PageUrl } from './page-path.js';

type Headers = WholeAnswer['headers'];
type Encoding = 'br' | 'gzip' | 'identity';

/** A file of the page in one encoding. */
interface PageFile {
  readonly bytes: Buffer;
  readonly etag: string;
}

interface Page {
  /** `index.html` with `BASE` where the path of the console has to stand. */
  readonly index: string;
  readonly assets: ReadonlyMap<string, ReadonlyMap<Encoding, PageFile>>;
}

const BASE = '%BASE%';
const SUFFIXES: Readonly<Record<string, Encoding>> = { '.br': 'br', '.gz': 'gzip' };
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const POLICY = [
  "default-src 'none'",
  ...['script', 'style', 'img', 'font', 'connect'].map((what) => `${what}-src 'self'`),
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');
/** The page asks nobody else, is shown by nobody else, and may nothing of a device. */
const ALWAYS: Headers = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/**
 * Answers with the files that the build has packed. It reads them once, by the names that are there: no name of a URL
 * is ever a path of a file. They hold nothing private, so everybody may have them; `index.html` is never kept, and all
 * others for ever, since another content has another name.
 */
export class PageFiles {
  private page: Promise<Page | undefined> | undefined;

  /** @param folder of the build. @default the one in the package */
  constructor(private readonly folder: () => Promise<URL | undefined> = packedPage) {}

  /** Never throws. */
  async answer(url: PageUrl, request: Pick<ConsoleRequest, 'headers' | 'method'>): Promise<WholeAnswer> {
    this.page ??= this.read();
    const page = await this.page;
    if (page === undefined) {
      // It may be built meanwhile.
      this.page = undefined;
      return text(404, 'The page is written when the package is built.', request);
    }
    if (url.below.startsWith('/assets/'))
      return assetOf(page.assets.get(url.below.slice('/assets/'.length)), url, request);
    const index = Buffer.from(page.index.replace(BASE, url.base));
    return whole(200, index, { 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' }, request);
  }

  private async read(): Promise<Page | undefined> {
    try {
      const folder = await this.folder();
      if (folder === undefined) return undefined;
      const assets = new URL('assets/', folder);
      const names = await readdir(assets);
      const files = await Promise.all(
        names.map(async (name) => [name, fileOf(await readFile(new URL(encodeURIComponent(name), assets)))] as const),
      );
      return { index: await readFile(new URL('index.html', folder), 'utf8'), assets: byName(files) };
    } catch {
      return undefined;
    }
  }
}

function fileOf(bytes: Buffer): PageFile {
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}

function byName(files: readonly (readonly [string, PageFile])[]): Page['assets'] {
  const assets = new Map<string, Map<Encoding, PageFile>>();
  for (const [name, file] of files) {
    const encoding = SUFFIXES[extname(name)] ?? 'identity';
    const plain = encoding === 'identity' ? name : name.slice(0, -extname(name).length);
    if (TYPES[extname(plain)] === undefined) continue;
    const variants = assets.get(plain) ?? new Map<Encoding, PageFile>();
    assets.set(plain, variants.set(encoding, file));
  }
  return assets;
}

function assetOf(
  variants: ReadonlyMap<Encoding, PageFile> | undefined,
  { below }: PageUrl,
  request: Pick<ConsoleRequest, 'headers' | 'method'>,
): WholeAnswer {
  const accepted = acceptedBy(request.headers['accept-encoding']);
  const encoding = accepted.find((one) => variants?.has(one) === true);
  const file = encoding && variants?.get(encoding);
  if (file === undefined) return text(404, 'There is no such file.', request);
  const headers: Headers = {
    'cache-control': 'public, max-age=31536000, immutable',
    'content-type': TYPES[extname(below)]!,
    etag: file.etag,
    vary: 'accept-encoding',
    ...(encoding !== 'identity' && { 'content-encoding': encoding! }),
  };
  const known = request.headers['if-none-match'];
  if (typeof known === 'string' && known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === file.etag)) {
    return { status: 304, headers: { ...ALWAYS, ...headers }, body: undefined };
  }
  return whole(200, file.bytes, headers, request);
}

/** The best first. What a client refuses by `q=0` is left out; plain text is always sent, if nothing else may be. */
function acceptedBy(header: string | readonly string[] | undefined): readonly Encoding[] {
  const asked = new Map(
    String(header ?? '')
      .split(',')
      .map((part) => {
        const [name = '', ...parameters] = part.toLowerCase().split(';');
        const isRefused = parameters.some((parameter) => /^\s*q\s*=\s*0(?:\.0*)?\s*$/.test(parameter));
        return [name.trim(), !isRefused] as const;
      }),
  );
  const isAccepted = (encoding: Encoding) => asked.get(encoding) ?? asked.get('*') ?? false;
  return [...(['br', 'gzip'] as const).filter(isAccepted), 'identity'];
}

function whole(
  status: number,
  body: Buffer,
  headers: Headers,
  { method }: Pick<ConsoleRequest, 'method'>,
): WholeAnswer {
  const all = { ...ALWAYS, ...headers, 'content-length': String(body.length) };
  return { status, headers: all, body: method === 'HEAD' ? undefined : body };
}

function text(status: number, line: string, request: Pick<ConsoleRequest, 'method'>): WholeAnswer {
  const headers = { 'cache-control': 'no-store', 'content-type': 'text/plain; charset=utf-8' };
  return whole(status, Buffer.from(`${line}\n`), headers, request);
}
