import type { TestProject } from 'vitest/node';
import { javaPeerClassPath, RELEASES, whyNoJava } from './support/java-build.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The class path of the Java peer by release of ElasticJob; empty where Java is missing. */
    javaPeers: Readonly<Record<string, string>>;
    /** What is missing to run Java peers; undefined if nothing is. */
    whyNoJava: string | undefined;
  }
}

/** Builds the Java peers, once for the whole run. */
export async function setup(project: TestProject): Promise<void> {
  const reason = await whyNoJava();
  project.provide('whyNoJava', reason);
  const peers: Record<string, string> = {};
  if (reason === undefined) for (const release of RELEASES) peers[release] = await javaPeerClassPath(release);
  else console.warn(`The interop suite is skipped: it ${reason}.`);
  project.provide('javaPeers', peers);
}
