import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { MIXED } from '../../nest/built/copies.js';
import { succeed } from '../command.js';
import type { Project } from '../project.js';
import type { Site } from '../site.js';
import { installing } from './install-lines.js';
import type { Row } from './row.js';

const NEST_12 = '@nestjs/common@12 @nestjs/core@12 reflect-metadata rxjs';
/**
 * Nest 11, because Plug'n'Play cannot `require` the ES modules of Nest 12: Node does not call its hooks for their
 * imports.
 */
const NEST_11 = '@nestjs/common@11 @nestjs/core@11 reflect-metadata rxjs';
const PNPM = 'npx --yes pnpm@10';
const YARN = 'npx --yes @yarnpkg/cli-dist@4';
const YARN_1 = 'npx --yes yarn@1';
/** The compiler and its types; Yarn 4 has no patch for a newer TypeScript. */
const TOOLS = 'typescript@6 @types/node';

export const ROWS: readonly Row[] = [
  {
    name: 'pnpm',
    title: 'pnpm 10',
    async run(site) {
      const project = await small(site, 'pnpm', { npm_config_store_dir: `${site.folder}/pnpm-store` });
      await project.run(`${PNPM} add ${NEST_12} ${TOOLS}`);
      await install(project, 'pnpm', PNPM, site.tarball);
      await project.run('tsc');
      await project.serve('node dist/main.js');
    },
  },
  {
    name: 'npm-legacy-peers',
    title: 'npm with legacy-peer-deps, which adds no peers',
    isShort: true,
    async run(site) {
      const project = await small(site, 'npm-legacy-peers');
      await project.write('.npmrc', 'legacy-peer-deps=true\n');
      await project.run(`npm i ${NEST_12} ${TOOLS}`);
      await install(project, 'npm', 'npm', site.tarball);
      await project.run('tsc');
      await project.serve('node dist/main.js');
    },
  },
  {
    name: 'yarn-1',
    title: 'Yarn 1, which adds no peers',
    isShort: true,
    async run(site) {
      const project = await small(site, 'yarn-1', await yarn1Env(site));
      await project.run(`${YARN_1} add ${NEST_11} ${TOOLS}`);
      await install(project, 'yarn', YARN_1, `file:${site.tarball}`);
      await project.run('tsc');
      await project.serve('node dist/main.js');
    },
  },
  {
    name: 'yarn',
    title: "Yarn 4's Plug'n'Play, with one process that mixes both copies",
    isShort: true,
    async run(site) {
      const project = await small(site, 'yarn', await yarnEnv(site));
      await project.write('yarn.lock', ''); // or a folder above could be the project
      const peers = 'prom-client'; // Yarn installs none by itself
      await project.run(`${YARN} add ${NEST_11} ${peers} ${TOOLS}`);
      await install(project, 'yarn', YARN, `nestjs-elastic-job@file:${site.tarball}`);
      await project.run(`${YARN} tsc`);
      const { folder } = project;
      const env = { NODE_OPTIONS: `--require ${folder}/.pnp.cjs --experimental-loader ${folder}/.pnp.loader.mjs` };
      await project.serve('node dist/main.js', env);
      for (const first of ['import', 'require']) await mix(project, first, env);
    },
  },
];

/** Installs the library, by the README's line of a package manager. */
async function install(project: Project, manager: string, command: string, library: string): Promise<void> {
  await project.run(installing(manager, command, library));
}

/** The application in ES modules, and nothing else. */
async function small(site: Site, name: string, env: Readonly<Record<string, string>> = {}): Promise<Project> {
  const project = await site.project(name, env);
  await project.add('app');
  await project.add('small');
  return project;
}

/** A CommonJS file and an ES module, which load one copy of the library each. */
async function mix(project: Project, first: string, env: Readonly<Record<string, string>>): Promise<void> {
  for (const file of ['copies.fixture.cjs', 'copies.importer.mjs']) {
    await project.write(file, await readFile(new URL(`../../nest/built/${file}`, import.meta.url), 'utf8'));
  }
  const written = await project.run(`node copies.fixture.cjs ${project.folder} ${first} copies.importer.mjs`, env);
  const [json = ''] = /^\{.*\}$/m.exec(written) ?? [];
  const expected = { isOneCopy: false, ...MIXED };
  if (!isDeepStrictEqual(JSON.parse(json), expected)) {
    throw new Error(`Mixed copies, ${first} first: ${json} instead of ${JSON.stringify(expected)}`);
  }
}

/** Yarn 1 keeps a tarball by name and version, so its cache is the site's own. */
async function yarn1Env(site: Site): Promise<Readonly<Record<string, string>>> {
  return { YARN_CACHE_FOLDER: `${site.folder}/yarn-1-cache`, YARN_REGISTRY: await registryOf(site) };
}

/** Yarn uses neither npm's settings nor its cache. */
async function yarnEnv(site: Site): Promise<Readonly<Record<string, string>>> {
  return {
    YARN_ENABLE_IMMUTABLE_INSTALLS: 'false', // which it would be in CI
    YARN_ENABLE_TELEMETRY: '0',
    YARN_GLOBAL_FOLDER: `${site.folder}/yarn-global`,
    YARN_NPM_REGISTRY_SERVER: await registryOf(site),
  };
}

/** The registry of npm, without a slash at its end. */
async function registryOf({ folder }: Site): Promise<string> {
  const registry = await succeed('npm config get registry', { cwd: folder });
  return /https?:\/\/\S*[^/\s]/.exec(registry)?.[0] ?? '';
}
