// npm run build:library: makes the CommonJS copy of the package out of the ES modules that the compiler has just
// written, for resolvers and test runners that cannot load those.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';

const { positionals } = parseArgs({ allowPositionals: true });
const MODULES = positionals[0] ?? 'libs/elastic-job/dist';
const COPY = join(MODULES, 'cjs');

rmSync(COPY, { recursive: true, force: true });
for (const file of readdirSync(MODULES, { recursive: true, encoding: 'utf8' })) {
  const copied = join(COPY, file);
  if (/\.(js|d\.ts)$/.test(file)) mkdirSync(dirname(copied), { recursive: true });
  if (file.endsWith('.js')) writeFileSync(copied, commonJsOf(readFileSync(join(MODULES, file), 'utf8'), file));
  if (file.endsWith('.d.ts')) cpSync(join(MODULES, file), copied);
}
// The package says `module` of whatever nothing else is said of.
writeFileSync(join(COPY, 'package.json'), '{ "type": "commonjs" }\n');

function commonJsOf(text: string, file: string): string {
  return ts.transpileModule(text, {
    fileName: file.replace(/\.js$/, '.cjs'),
    // This form keeps an `import()`.
    compilerOptions: { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, esModuleInterop: true },
    transformers: { before: [withoutImportMeta, withRequire] },
  }).outputText;
}

/** CommonJS has no `import.meta`; its `url` is made of `__filename` there. */
function withoutImportMeta(context: ts.TransformationContext): ts.Transformer<ts.SourceFile> {
  const { factory } = context;
  const call = (called: ts.Expression, argument: ts.Expression) =>
    factory.createCallExpression(called, undefined, [argument]);
  const visit = (node: ts.Node): ts.Node => {
    const isImportMeta =
      ts.isPropertyAccessExpression(node) &&
      ts.isMetaProperty(node.expression) &&
      node.expression.keywordToken === ts.SyntaxKind.ImportKeyword;
    if (!isImportMeta) return ts.visitEachChild(node, visit, context);
    const required = call(factory.createIdentifier('require'), factory.createStringLiteral('node:url'));
    const pathToFileURL = factory.createPropertyAccessExpression(required, 'pathToFileURL');
    const url = call(pathToFileURL, factory.createIdentifier('__filename'));
    return factory.createPropertyAccessExpression(url, 'href');
  };
  return (source) => ts.visitEachChild(source, visit, context);
}

/**
 * `import('name')` becomes `require('name')`, which every test runner knows: the name is a module of this package, or
 * an optional one. It is a bare call, since a bundler has to see the `try` around it, or takes an optional package for
 * one that must be there. What is only known at run time is a user's file of any kind, and its `import` stays.
 */
function withRequire(context: ts.TransformationContext): ts.Transformer<ts.SourceFile> {
  const { factory } = context;
  const visit = (node: ts.Node): ts.Node => {
    const visited = ts.visitEachChild(node, visit, context);
    if (!ts.isCallExpression(visited) || visited.expression.kind !== ts.SyntaxKind.ImportKeyword) return visited;
    const [name] = visited.arguments;
    if (name === undefined || !ts.isStringLiteral(name)) return visited;
    return factory.createCallExpression(factory.createIdentifier('require'), undefined, [name]);
  };
  return (source) => ts.visitEachChild(source, visit, context);
}
