import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A room whose tests are tried by mutation. */
export interface MutatedRoom {
  readonly folder: string;
  /** Folders of the specs that judge its mutants. */
  readonly tests: readonly string[];
  /** Least share of mutants that the tests must notice, in percent. */
  readonly wanted: number;
}

const LIBRARY = 'libs/elastic-job/src';
const COORDINATION = [`${LIBRARY}/coordination`, 'test/scenario'];

export const ROOMS: Readonly<Record<string, MutatedRoom>> = {
  // The rules of the domain are also told where they are used.
  domain: { folder: `${LIBRARY}/domain`, tests: [LIBRARY], wanted: 85 },
  execution: { folder: `${LIBRARY}/coordination/execution`, tests: COORDINATION, wanted: 85 },
  failover: { folder: `${LIBRARY}/coordination/failover`, tests: COORDINATION, wanted: 85 },
  turns: { folder: `${LIBRARY}/turns`, tests: [`${LIBRARY}/turns`, 'test/scenario'], wanted: 75 },
  executor: {
    folder: `${LIBRARY}/executor`,
    // Threads need JavaScript, so the tests of their pool build it, and stand among the integrations.
    tests: [`${LIBRARY}/executor`, 'test/scenario', 'test/integration/worker-pool'],
    wanted: 75,
  },
  runtime: { folder: `${LIBRARY}/runtime`, tests: [`${LIBRARY}/runtime`, 'test/scenario'], wanted: 75 },
};

/** Random histories take seconds each. A mutant that only they notice is one that no rule is tested for. */
const HISTORIES = /test\/scenario\/(random-.*|.*-histories|dataflow-kills)\.spec\.ts$/;

/** Absolute paths of the specs that judge a room. */
export function specsOf({ tests }: MutatedRoom): readonly string[] {
  return tests
    .flatMap((folder) => filesBelow(folder))
    .filter((file) => file.endsWith('.spec.ts'))
    .filter((spec) => !HISTORIES.test(spec))
    .map((spec) => resolve(spec))
    .toSorted();
}

/** Files of a room that are mutated. */
export function mutableFiles({ folder }: MutatedRoom): readonly string[] {
  return filesBelow(folder).filter((file) => /(?<!\.spec)\.ts$/.test(file));
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .toSorted();
}
