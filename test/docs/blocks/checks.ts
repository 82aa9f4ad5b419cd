import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Kysely, SqliteDialect } from 'kysely';
import Libsql from 'libsql';
import { parseAllDocuments } from 'yaml';
import { createOwnTables } from '../../../libs/elastic-job/src/tracing/sql/own-tables.js';
import { traceDialect } from '../../../libs/elastic-job/src/tracing/sql/trace-dialect.js';
import { asTraceDb } from '../../../libs/elastic-job/src/tracing/sql/trace-row.js';
import { type Block, placeOf } from './blocks.js';
import { findDiagramFault } from './mermaid.js';

type Check = (block: Block, earlier: readonly Block[]) => readonly string[] | Promise<readonly string[]>;

/** Scripts of a project that `nest new` makes. */
const NEST_SCRIPT = /^(?:build|format|lint|start(?::(?:dev|debug|prod))?|test(?::(?:watch|cov|debug|e2e))?)$/;
const RUN = /\bnpm (?:run (?:-s |--silent )?([\w:-]+)|(test|start)\b)/g;
const PATH_IN_WORKSPACE = /(?<![\w./-])(?:test|bench|libs|apps|docs|examples|\.ci)\/[\w./-]*\w/g;
const PROPERTY = /^\s*(?:[#!].*|[^\s=:]+\s*[=:].*)?$/;
const KUBERNETES = ['apiVersion', 'kind', 'metadata', 'spec'];

/** Finds the faults of a block, by its language. TypeScript is compiled and run elsewhere. */
export const CHECKS: Readonly<Record<string, Check>> = {
  ts: () => [],
  sh: ({ page, text }) => [...findShellFault(text), ...findUnknownScripts(page, text), ...findMissingPaths(text)],
  yaml: ({ text }) =>
    parseAllDocuments(text).flatMap((document) => [
      ...document.errors.map(({ message }) => message),
      ...findMissingKeys(document.toJS()),
    ]),
  json: ({ text }) => {
    try {
      JSON.parse(text);
      return [];
    } catch (error) {
      return [String(error)];
    }
  },
  mermaid: async ({ text }) => {
    const fault = await findDiagramFault(text);
    return fault === undefined ? [] : [fault];
  },
  sql: ({ text }, earlier) =>
    findSqlFault(
      earlier.filter(({ language }) => language === 'sql'),
      text,
    ),
  properties: ({ text }) => text.split('\n').flatMap((line) => (PROPERTY.test(line) ? [] : [`No property: ${line}`])),
};

/** Finds the faults of the blocks of a page, with their places. */
export async function findFaults(blocks: readonly Block[]): Promise<readonly string[]> {
  const found = blocks.map(async (block, index) => {
    const faults = (await CHECKS[block.language]?.(block, blocks.slice(0, index))) ?? [];
    return faults.map((fault) => `${placeOf(block)}: ${fault}`);
  });
  return (await Promise.all(found)).flat();
}

function findShellFault(text: string): readonly string[] {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
  return status === 0 ? [] : [stderr.trim()];
}

/** Finds scripts that exist neither in this workspace, nor in the example of the page, nor in a new project of Nest. */
function findUnknownScripts(page: string, text: string): readonly string[] {
  const manifests = ['package.json', join(dirname(page), 'package.json')].filter((path) => existsSync(path));
  const own = manifests.flatMap((path) => Object.keys(JSON.parse(readFileSync(path, 'utf8')).scripts ?? {}));
  const named = [...text.matchAll(RUN)].map(([, script, short]) => script ?? short ?? '');
  return named.filter((name) => !own.includes(name) && !NEST_SCRIPT.test(name)).map((name) => `No script is ${name}.`);
}

function findMissingPaths(text: string): readonly string[] {
  const paths = [...text.matchAll(PATH_IN_WORKSPACE)].map(([path]) => path);
  return paths.filter((path) => !existsSync(path)).map((path) => `No file is ${path}.`);
}

/** Finds missing keys of a Kubernetes resource. */
function findMissingKeys(document: unknown): readonly string[] {
  if (typeof document !== 'object' || document === null) return [];
  if (!KUBERNETES.some((key) => key in document)) return [];
  return ['apiVersion', 'kind'].filter((key) => !(key in document)).map((key) => `A resource has no ${key}.`);
}

/** Executes the block on SQLite, beside the tables of our own, after the page's earlier ones. */
async function findSqlFault(earlier: readonly Block[], text: string): Promise<readonly string[]> {
  const db = new Libsql(':memory:');
  try {
    const kysely = new Kysely<unknown>({ dialect: new SqliteDialect({ database: db }) });
    await createOwnTables(asTraceDb(kysely), traceDialect('sqlite'));
    for (const block of earlier) db.exec(block.text);
    db.exec(text);
    return [];
  } catch (error) {
    return [String(error)];
  } finally {
    db.close();
  }
}
