import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const LIBRARY = new URL('../../libs/elastic-job/', import.meta.url);
/** The page is made of its own folder, of types and lists of the server, and of packages of the lock file. */
const SOURCES = ['page/', 'src/console/contract/', '../../package-lock.json'].map((path) => new URL(path, LIBRARY));
const CONFIG = fileURLToPath(new URL('page/vite.config.ts', LIBRARY));
/** Where a page is written before it is whole. */
const UNFINISHED = fileURLToPath(new URL('../../node_modules/.cache/console-page/', import.meta.url));

export interface PageBuild {
  /** The folder of the built page, as a URL with `/` at its end. */
  readonly built: URL;
  /** Files, and folders with all files in them. */
  readonly sources: readonly URL[];
  /** Writes the page into a folder. */
  readonly build: (folder: string) => Promise<unknown>;
  readonly tell: (line: string) => void;
}

/**
 * The published package has its page; a clone has it built once, and again after a source of it has changed. The page
 * that is there is only replaced by a whole one: an interrupted build leaves it, and two builds at once do no harm.
 */
export async function ensurePage(given: Partial<PageBuild> = {}): Promise<void> {
  const { build, built, sources, tell } = { ...DEFAULTS, ...given };
  const at = await newest([new URL('index.html', built)]);
  if (at > 0 && at >= (await newest(sources))) return;
  tell('Building the page of the console. It takes some seconds, and is kept until a source of it changes.');
  await mkdir(UNFINISHED, { recursive: true });
  const folder = await mkdtemp(UNFINISHED);
  try {
    await build(folder);
    await mkdir(new URL('..', built), { recursive: true });
    await rm(built, { recursive: true, force: true });
    await rename(folder, built).catch(async (error: unknown) => {
      // Another process was faster: its page is as good.
      if ((await newest([new URL('index.html', built)])) === 0) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const DEFAULTS: PageBuild = {
  built: new URL('dist/page/', LIBRARY),
  sources: SOURCES,
  build: async (outDir) => {
    const { build } = await import('vite');
    return build({ configFile: CONFIG, logLevel: 'warn', build: { outDir } });
  },
  tell: console.log,
};

/** When the youngest of these files was written, in milliseconds since the epoch; 0 if there is none. */
async function newest(urls: readonly URL[]): Promise<number> {
  const times = await Promise.all(
    urls.map(async (url) => {
      const found = await stat(url).catch(() => undefined);
      if (found?.isDirectory() !== true) return found?.mtimeMs ?? 0;
      const names = await readdir(url, { withFileTypes: true });
      const inside = names.map(
        (entry) => new URL(encodeURIComponent(entry.name) + (entry.isDirectory() ? '/' : ''), url),
      );
      return newest(inside);
    }),
  );
  return Math.max(0, ...times);
}
