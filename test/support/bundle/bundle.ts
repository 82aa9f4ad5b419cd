import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';

const WORKSPACE = new URL('../../../', import.meta.url);
/** Lies below the workspace's packages, so that a bundle finds them as an installed application would. */
const CACHE = new URL('node_modules/.cache/bundles/', WORKSPACE);
const LIBRARY = 'libs/elastic-job/src/';
const CONNECTION_WORKER = `${LIBRARY}registry/zookeeper/worker/connection-worker.ts`;
const TASK_SUPERVISOR = `${LIBRARY}cloud/process/supervisor/task-supervisor.ts`;

/** JavaScript without further sources, in a directory of its own. */
export interface Bundle {
  /** @param name name of an entry */
  url(name: string): URL;
  remove(): Promise<void>;
}

/**
 * Bundles each entry with all of its own code that it imports. Packages stay outside.
 * @param entries paths in the workspace, by the names of the files to be made
 * @param inlined packages that are bundled as well
 * @param plugins further plugins, which may resolve and load code differently
 */
export async function bundle(
  entries: Readonly<Record<string, string>>,
  inlined: readonly string[] = [],
  plugins: readonly Plugin[] = [],
): Promise<Bundle> {
  await mkdir(CACHE, { recursive: true });
  const directory = await mkdtemp(fileURLToPath(CACHE));
  await build({
    root: fileURLToPath(WORKSPACE),
    configFile: false,
    logLevel: 'error',
    plugins: [...plugins],
    resolve: { alias: { '@test': inWorkspace('test') } },
    ssr: { noExternal: [...inlined] },
    build: {
      ssr: true,
      outDir: directory,
      emptyOutDir: false,
      target: 'node20',
      rolldownOptions: {
        input: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, inWorkspace(path)])),
        output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  });
  return {
    url: (name) => pathToFileURL(`${directory}/${name}.mjs`),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** The worker's entry of `connection: 'worker-thread'`, which has to be JavaScript. */
export async function bundleConnectionWorker(): Promise<{ readonly url: URL; remove(): Promise<void> }> {
  const made = await bundle({ worker: CONNECTION_WORKER });
  return { url: made.url('worker'), remove: () => made.remove() };
}

/** The entry of the process that supervises local tasks, which has to be JavaScript. */
export async function bundleTaskSupervisor(): Promise<{ readonly url: URL; remove(): Promise<void> }> {
  const made = await bundle({ supervisor: TASK_SUPERVISOR });
  return { url: made.url('supervisor'), remove: () => made.remove() };
}

function inWorkspace(path: string): string {
  return fileURLToPath(new URL(path, WORKSPACE));
}
