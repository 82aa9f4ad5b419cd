import { readFile } from 'node:fs/promises';
import { DatabaseServer } from '../../databases/support/database-server.js';
import { POSTGRES_KIND, postgresUrl } from '../../databases/support/postgres.js';
import type { Site } from '../site.js';
import type { Row } from './row.js';

const MANIFEST = new URL('../../../libs/elastic-job/package.json', import.meta.url);

/** The folders of `examples`, each with the packed library in place of the released one. */
export const ROWS: readonly Row[] = [
  rowOf('nest-11-jest', 'Nest 11 with Jest', runExample),
  rowOf('dynamic-jobs', 'jobs that requests create', runExample),
  rowOf('microservice', 'a microservice beside HTTP', runExample),
  rowOf('dataflow-pg', 'a dataflow job over a real PostgreSQL', async (site, name) => {
    const server = await DatabaseServer.create(POSTGRES_KIND);
    try {
      await runExample(site, name, { DATABASE_URL: postgresUrl(server.port) });
    } finally {
      await server.remove();
    }
  }),
];

function rowOf(example: string, title: string, run: (site: Site, example: string) => Promise<void>): Row {
  return { name: `example-${example}`, title, isShort: true, run: (site) => run(site, example) };
}

async function runExample(site: Site, name: string, env?: Readonly<Record<string, string>>): Promise<void> {
  const project = await site.project(`example-${name}`, env);
  const range = await project.addExample(name);
  const { version }: { readonly version: string } = JSON.parse(await readFile(MANIFEST, 'utf8'));
  if (range !== `^${version}`) throw new Error(`examples/${name} asks for ${range}, and not for ^${version}.`);
  await project.run(`npm i ${site.tarball}`);
  await project.run('npm run build');
  await project.run('npm test');
}
