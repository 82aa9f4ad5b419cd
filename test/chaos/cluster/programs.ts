import { fileURLToPath } from 'node:url';
import { type Bundle, bundle } from '@test/support/bundle/bundle.js';
import { javaPeerClassPath, RELEASES } from '@test/support/peers/java-build.js';
import type { WorkerPrograms } from './stage/workforce.js';

/** Builds the programs of the workers. @param withJava also builds the newest release of Java ElasticJob */
export async function buildPrograms(withJava: boolean): Promise<WorkerPrograms & Pick<Bundle, 'remove'>> {
  const made = await bundle({ worker: 'test/chaos/cluster/stage/worker.fixture.ts' });
  return {
    node: fileURLToPath(made.url('worker')),
    ...(withJava && { java: await javaPeerClassPath(RELEASES[0]!) }),
    remove: () => made.remove(),
  };
}
