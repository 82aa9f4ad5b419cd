import type { Project } from '../project.js';
import type { Row } from './row.js';

/** Packages whose newest release Jest cannot load, in the versions that docs/start/packages.md names for CommonJS. */
const FOR_COMMONJS = [
  '@nestjs/config@4',
  '@nestjs/terminus@11',
  '@nestjs/testing@11',
  'kysely@0.28',
  'string-argv@0.3',
];
const OF_ANY_KIND = ['@opentelemetry/api', 'cron', 'libsql', 'mysql2', 'nodemailer', 'pg', 'piscina', 'prom-client'];
const PLATFORM = ['reflect-metadata', 'rxjs'];

export const ROWS: readonly Row[] = [
  {
    name: 'packages-commonjs',
    title: 'each entry in Jest, with the optional packages that docs/start/packages.md names',
    async run(site) {
      const project = await site.project('packages-commonjs');
      await project.write('package.json', { private: true, jest: {} });
      const nest = ['@nestjs/common@11', '@nestjs/core@11', '@nestjs/schedule'];
      await install(project, [site.tarball, ...nest, ...PLATFORM, ...FOR_COMMONJS, ...OF_ANY_KIND, 'jest']);
      const entries = await importable(project);
      const tests = entries.map((entry) => `it('${entry}', () => void require('${entry}'));\n`);
      await project.write('entries.spec.js', `require('reflect-metadata');\n${tests.join('')}`);
      await project.run('jest');
    },
  },
  {
    name: 'packages-newest',
    title: 'each entry in ES modules, with the newest optional packages, and a fence over kysely',
    async run(site) {
      const project = await site.project('packages-newest');
      await project.write('package.json', { private: true, type: 'module' });
      const nest = ['@nestjs/common@12', '@nestjs/core@12', '@nestjs/schedule'];
      // Without a tag, npm gives an older release to an older Node.
      const newest = [...FOR_COMMONJS, ...OF_ANY_KIND].map((name) => name.replace(/(?<=.)@.*$|$/, '@latest'));
      await install(project, [site.tarball, ...nest, ...PLATFORM, ...newest]);
      const imports = (await importable(project)).map((entry) => `await import('${entry}');\n`);
      await project.write('entries.js', `import 'reflect-metadata';\n${imports.join('')}`);
      await project.run('node entries.js');
      await project.add('fenced');
      await project.run('npm i -D typescript @types/node');
      await project.run('tsc');
      await project.run('node dist/store.js');
    },
  },
];

/** `npm i` fails if the library's ranges exclude one of them. */
async function install(project: Project, packages: readonly string[]): Promise<void> {
  await project.run(`npm i --strict-peer-deps ${packages.join(' ')}`);
}

/** Entries without those that are files of a thread. */
async function importable(project: Project): Promise<readonly string[]> {
  return (await project.entries()).filter((entry) => !/-(thread|worker)$/.test(entry));
}
