import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { bundle } from '@test/support/bundle/bundle.js';
import { cloudOracleClassPath, javaPeerClassPath, RELEASES, whyNoJava } from '@test/support/peers/java-build.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The class path of the Java peer by release of ElasticJob; empty where Java is missing. */
    javaPeers: Readonly<Record<string, string>>;
    /** The class path of the oracle for ElasticJob-Cloud's texts; empty where Java is missing. */
    cloudOracle: string;
    /** The script of our peer. */
    nodePeer: string;
    /** Reason why Java peers cannot run. Undefined if they can. */
    whyNoJava: string | undefined;
  }
}

/** Builds the peers of both kinds, once for the whole run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const reason = await whyNoJava();
  project.provide('whyNoJava', reason);
  if (reason !== undefined) console.warn(`The interop suite is skipped: it ${reason}.`);
  const java: Record<string, string> = {};
  if (reason === undefined) for (const release of RELEASES) java[release] = await javaPeerClassPath(release);
  project.provide('javaPeers', java);
  project.provide('cloudOracle', reason === undefined ? await cloudOracleClassPath() : '');
  const node = await bundle({ peer: 'test/interop/support/node-peer.fixture.ts' });
  project.provide('nodePeer', fileURLToPath(node.url('peer')));
  return () => node.remove();
}
