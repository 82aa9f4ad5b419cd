import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const SOURCE = 'libs/elastic-job/src';

/** Globals that a simulation has to own; `clock` provides them. */
const GLOBALS = new Set(['setTimeout', 'setInterval', 'setImmediate', 'performance', 'crypto']);
const MEMBERS = new Set([
  'Date.now',
  'Math.random',
  'AbortSignal.timeout',
  'process.hrtime',
  'process.pid',
  'process.uptime',
]);
/** Globals that a decision must not use either. */
const SURROUNDINGS = new Set(['process', 'globalThis', 'global', 'navigator']);
const MODULES = /^(node:)?(os|crypto|timers|timers\/promises|perf_hooks)$/;

/**
 * `clock` and the socket code use them, and the virtual timeline waits for real turns of the event loop. Signatures and
 * digests are computed, not drawn. Secrets of the console are drawn where nobody can repeat it.
 */
const ALLOWED = [
  `${SOURCE}/clock/`,
  `${SOURCE}/registry/zookeeper/`,
  `${SOURCE}/testing/virtual-timeline.ts`,
  `${SOURCE}/executor/error-handling/web.error-handlers.ts`,
  `${SOURCE}/nest/cloud/rest/cloud-rest.guard.ts`,
  `${SOURCE}/console/api/answer-of.ts`,
  `${SOURCE}/console/contract/cursors.ts`,
  `${SOURCE}/console/identity/passwords.ts`,
  `${SOURCE}/console/identity/secrets.ts`,
  `${SOURCE}/console/page/page-files.ts`,
];

describe('a simulation owns time and chance', () => {
  it('in the library, only clock and the socket code use them', () => {
    const files = ts.sys
      .readDirectory(SOURCE, ['.ts'])
      .map((file) => file.slice(file.indexOf(SOURCE)))
      .filter((file) => !file.endsWith('spec.ts') && !ALLOWED.some((path) => file.startsWith(path)));

    expect(files.length).toBeGreaterThan(50);
    expect(files.flatMap((file) => uses(file, readFileSync(file, 'utf8')))).toEqual([]);
  });

  it.each([
    ['const now = Date.now();', 'Date.now'],
    ['const now = new Date();', 'new Date()'],
    ['setTimeout(() => {}, 1);', 'setTimeout'],
    ['const { pid } = process; export const id = process.pid;', 'process.pid'],
    ["import { hostname } from 'node:os';", 'node:os'],
    ['export const id = crypto.randomUUID();', 'crypto'],
  ])('in a source with %s it finds %s', (text, found) => {
    expect(uses('sample.ts', text)).toEqual([`sample.ts: ${found}`]);
  });

  it('in a source with computed dates it finds nothing', () => {
    expect(
      uses('sample.ts', 'export const day = new Date(Date.UTC(2026, 0, 1)); clock.setTimer(1, () => {});'),
    ).toEqual([]);
  });
});

describe('a decision depends on its arguments', () => {
  it('in domain, no source uses the process or keeps anything in it', () => {
    const files = ts.sys
      .readDirectory(`${SOURCE}/domain`, ['.ts'])
      .map((file) => file.slice(file.indexOf(SOURCE)))
      .filter((file) => !file.endsWith('spec.ts'));

    expect(files.length).toBeGreaterThan(50);
    expect(files.flatMap((file) => surroundings(file, readFileSync(file, 'utf8')))).toEqual([]);
  });

  it.each([
    ['export const isTest = process.env.NODE_ENV;', 'process'],
    ["Reflect.set(globalThis, 'known', 1);", 'globalThis'],
    ['let last = 0; export const next = () => (last += 1);', 'let last'],
  ])('in a source with %s it finds %s', (text, found) => {
    expect(surroundings('sample.ts', text)).toEqual([`sample.ts: ${found}`]);
  });
});

/** A source's uses of the process, and the variables that it keeps from call to call. */
function surroundings(file: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isNamed = ts.isIdentifier(node) && SURROUNDINGS.has(node.text) && !isProperty(node);
    if (isNamed) found.push(`${file}: ${node.text}`);
    ts.forEachChild(node, visit);
  };
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  for (const statement of source.statements) {
    const isKept = ts.isVariableStatement(statement) && !(statement.declarationList.flags & ts.NodeFlags.Const);
    if (!isKept) continue;
    for (const { name } of statement.declarationList.declarations) found.push(`${file}: let ${name.getText()}`);
  }
  visit(source);
  return found;
}

function isProperty(node: ts.Identifier): boolean {
  const { parent } = node;
  return (ts.isPropertyAccessExpression(parent) && parent.name === node) || ts.isPropertyAssignment(parent);
}

function uses(file: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const use = useOf(node);
    if (use !== undefined) found.push(`${file}: ${use}`);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true));
  return found;
}

function useOf(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    return MODULES.test(node.moduleSpecifier.text) ? node.moduleSpecifier.text : undefined;
  }
  if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length) return 'new Date()';
  if (ts.isPropertyAccessExpression(node)) return MEMBERS.has(node.getText()) ? node.getText() : undefined;
  if (ts.isIdentifier(node) && GLOBALS.has(node.text) && isFreeName(node)) return node.text;
  return undefined;
}

// A property or a declaration of the same name is not the global.
function isFreeName(node: ts.Identifier): boolean {
  const { parent } = node;
  return ts.isPropertyAccessExpression(parent) ? parent.expression === node : ts.isCallExpression(parent);
}
