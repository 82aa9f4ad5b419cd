import { createHash } from 'node:crypto';
import type { Suite } from '../suites.js';
import { keptCode } from './kept-code.js';
import type { Tree } from './tree.js';

const MANIFEST = 'package.json';
/** Files that each suite depends on. */
const COMMON = ['package-lock.json', 'tsconfig.json'];
/** The command of the suite `build`. */
const BUILD = 'npm run build';
const SCRIPT = /npm (?:run |(?=test\b))(?:-\S+ )*([\w:-]+)/g;

/** Everything that a verdict depends on. Paths are relative to the root. */
export interface Inputs {
  readonly digest: string;
  /** Files of which something counts. */
  readonly counted: ReadonlySet<string>;
  /** Files that the suite needs, counted or not. */
  readonly needed: ReadonlySet<string>;
}

/**
 * The inputs of a suite: contents of the files it reads, kept code of its programs, lock file, compiler's
 * settings, manifest, the suite's row, and the major version of Node.
 */
export async function inputsOf(suite: Suite, tree: Tree): Promise<Inputs> {
  const { programs = [], reads = [], atHand = [], needs = [] } = suite;
  const followed = programs.length > 0 ? await keptCode(tree, tree.matching(programs)) : undefined;
  const { chunks = [], kept = [], loaded = [], named = [] } = followed ?? {};
  const read = [...new Set([...COMMON, ...tree.matching(reads), ...named])].toSorted();
  const hash = createHash('sha256');
  const add = (...parts: readonly string[]) => hash.update(`${JSON.stringify(parts)}\n`);
  add('row', rowOf(suite), 'node', process.versions.node.split('.')[0]!);
  add('manifest', manifestOf(tree, [suite.command, ...(needs.includes('build') ? [BUILD] : []), ...chunks]));
  for (const file of read) add('file', file, hashOf(tree.read(file)));
  for (const chunk of chunks) add('code', chunk);
  return {
    digest: hash.digest('hex').slice(0, 32),
    counted: new Set([MANIFEST, ...read, ...kept]),
    needed: new Set([MANIFEST, ...read, ...kept, ...loaded, ...tree.matching(atHand)]),
  };
}

/** The part of the row that decides the result. */
function rowOf({ name, command, vitest, needs, programs, reads, atHand }: Suite): string {
  return JSON.stringify({ name, command, vitest, needs, programs, reads, atHand });
}

/** The manifest without its scripts, but for those that these texts run. */
function manifestOf(tree: Tree, texts: readonly string[]): string {
  const { scripts, ...manifest }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
    tree.text(MANIFEST),
  );
  const run: Record<string, string> = {};
  const follow = (text: string): void => {
    for (const [, name = ''] of text.matchAll(SCRIPT)) {
      const script = scripts[name];
      if (script === undefined || name in run) continue;
      run[name] = script;
      follow(script);
    }
  };
  for (const text of texts) follow(text);
  return JSON.stringify({ ...manifest, scripts: run });
}

function hashOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
