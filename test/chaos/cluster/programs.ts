import { fileURLToPath } from 'node:url';
import { type Bundle, bundle } from '../../support/bundle/bundle.js';
import { javaPeerClassPath, RELEASES } from '../../support/peers/java-build.js';
import type { WorkerPrograms } from './stage/workforce.js';

/** Builds what the workers run. @param withJava with the newest release of Java ElasticJob as well */
export async function buildPrograms(withJava: boolean): Promise<WorkerPrograms & Pick<Bundle, 'remove'>> {
  const made = await bundle({ worker: 'test/chaos/cluster/stage/worker.fixture.ts' });
  return {
    node: fileURLToPath(made.url('worker')),
    ...(withJava && { java: await javaPeerClassPath(RELEASES[0]!) }),
    remove: () => made.remove(),
  };
}
