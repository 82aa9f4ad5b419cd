import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { MIXED } from '../../nest/built/copies.js';
import { succeed } from '../command.js';
import type { Project } from '../project.js';
import type { Site } from '../site.js';
import type { Row } from './row.js';

const NEST_12 = '@nestjs/common@12 @nestjs/core@12 reflect-metadata rxjs';
/**
 * Nest 11, because Plug'n'Play cannot `require` the ES modules of Nest 12: Node does not call its hooks for their
 * imports.
 */
const NEST_11 = '@nestjs/common@11 @nestjs/core@11 reflect-metadata rxjs';
const PNPM = 'npx --yes pnpm@10';
const YARN = 'npx --yes @yarnpkg/cli-dist@4';

export const ROWS: readonly Row[] = [
  {
    name: 'pnpm',
    title: 'pnpm 10',
    async run(site) {
      const project = await small(site, 'pnpm', { npm_config_store_dir: `${site.folder}/pnpm-store` });
      await project.run(`${PNPM} add ${NEST_12} ${site.tarball}`);
      await project.run(`${PNPM} add -D typescript @types/node`);
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
      const peers = 'class-validator class-transformer prom-client'; // Yarn installs none by itself
      const tools = 'typescript@6 @types/node'; // Yarn has no patch for a newer one
      await project.run(`${YARN} add ${NEST_11} ${peers} ${tools} nestjs-elastic-job@file:${site.tarball}`);
      await project.run(`${YARN} tsc`);
      const { folder } = project;
      const env = { NODE_OPTIONS: `--require ${folder}/.pnp.cjs --experimental-loader ${folder}/.pnp.loader.mjs` };
      await project.serve('node dist/main.js', env);
      for (const first of ['import', 'require']) await mix(project, first, env);
    },
  },
];

/** The application in ES modules, and nothing else. */
async function small(site: Site, name: string, env: Readonly<Record<string, string>>): Promise<Project> {
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

/** Yarn uses neither npm's settings nor its cache. */
async function yarnEnv({ folder }: Site): Promise<Readonly<Record<string, string>>> {
  const registry = await succeed('npm config get registry', { cwd: folder });
  return {
    YARN_ENABLE_IMMUTABLE_INSTALLS: 'false', // which it would be in CI
    YARN_ENABLE_TELEMETRY: '0',
    YARN_GLOBAL_FOLDER: `${folder}/yarn-global`,
    YARN_NPM_REGISTRY_SERVER: /https?:\/\/\S*[^/\s]/.exec(registry)?.[0] ?? '',
  };
}
