import { filesUpTo, readBlocks } from '../../docs/blocks/blocks.js';
import type { Project } from '../project.js';
import type { Site } from '../site.js';
import type { Row } from './row.js';

/** For the rows that build the project of Nest 12 with another tool than `tsc`. */
const BUILDERS = ['@swc/cli', '@swc/core', 'swc-loader', 'webpack', 'webpack-cli', 'webpack-node-externals'];

export const ROWS: readonly Row[] = [
  {
    name: 'nest-11',
    title: 'Nest 11 as `nest new` makes it: CommonJS, Jest, webpack',
    isShort: true,
    uses: ['nest-11'],
    async run(site) {
      const project = await nest11(site);
      const shown = filesUpTo(readBlocks('docs/test/jest.md'), 'The whole application');
      for (const [file, { text }] of shown) await project.write(file, text);
      await project.run('npm test');
      await project.run('npm run test:e2e');
      await project.serve('node dist/main.js');
      await project.run('nest build --config nest-cli.webpack.json');
      await project.serve('node dist-webpack/main.js');
    },
  },
  {
    name: 'nest-12',
    title: 'Nest 12 as `nest new` makes it: ES modules, Vitest',
    isShort: true,
    uses: ['nest-12'],
    async run(site) {
      const project = await nest12(site);
      await project.run('npm test');
      await project.serve('node dist/main.js');
    },
  },
  {
    name: 'bundlers',
    title: 'Nest 12 with SWC, and with webpack: packages outside, and all in one file',
    isShort: true,
    uses: ['nest-12'],
    async run(site) {
      const project = await nest12(site);
      await project.run('nest build --config nest-cli.swc.json');
      await project.serve('node dist-swc/main.js');
      await project.run('webpack --config webpack.config.mjs');
      await project.serve('node dist-webpack/externals.cjs');
      await project.serve('node dist-webpack/bundled.cjs');
    },
  },
];

/** The built project, in `dist`. */
export function nest11(site: Site): Promise<Project> {
  return site.shared('nest-11', () => nestNew(site, 11));
}

/** The built project, in `dist`. */
export function nest12(site: Site): Promise<Project> {
  return site.shared('nest-12', async () => {
    const project = await nestNew(site, 12);
    await project.run(`npm i -D ${BUILDERS.join(' ')}`);
    return project;
  });
}

async function nestNew(site: Site, major: 11 | 12): Promise<Project> {
  const name = `nest-${major}`;
  const project = await site.project(name);
  const flags = `--package-manager npm --skip-git --skip-install --directory .`;
  await project.run(`npx --yes @nestjs/cli@${major} new ${name} ${flags}`);
  await project.add('app', major === 11);
  await project.add(name);
  await project.run(`npm i ${site.tarball}`);
  await project.run('npm run build');
  return project;
}
