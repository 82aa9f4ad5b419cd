// Lets a plain Node process load this workspace's TypeScript: `.js` in an import is the `.ts` beside it, `@test` is the
// folder of the tests, and an entry of the package is its source, by the paths of tsconfig.json.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

// Compiling takes seconds before a process does anything, so compiled code is kept, by its content.
const KEPT = new URL('../../../node_modules/.cache/typescript-hooks/', import.meta.url);
const TESTS = new URL('../../', import.meta.url);
const WORKSPACE = new URL('../', TESTS);
const { paths } = JSON.parse(await readFile(new URL('tsconfig.json', WORKSPACE), 'utf8')).compilerOptions;
const HOOKS = await readFile(new URL(import.meta.url));

export async function resolve(named, context, next) {
  const entry = paths[named]?.[0];
  if (entry !== undefined) return next(new URL(entry, WORKSPACE).href, context);
  const specifier = named.startsWith('@test/') ? new URL(named.slice('@test/'.length), TESTS).href : named;
  if (!isLocal(specifier) || !specifier.endsWith('.js')) return next(specifier, context);
  try {
    return await next(specifier, context);
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return next(specifier.replace(/\.js$/, '.ts'), context);
  }
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const text = await readFile(fileURLToPath(url), 'utf8');
  const kept = new URL(`${createHash('sha256').update(HOOKS).update(url).update(text).digest('hex')}.js`, KEPT);
  const source = await readFile(kept, 'utf8').catch(() => compile(url, text, kept));
  return { format: 'module', source, shortCircuit: true };
}

async function compile(url, text, kept) {
  const { default: ts } = await import('typescript');
  const compilerOptions = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2023,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    inlineSourceMap: true,
  };
  const { outputText } = ts.transpileModule(text, { fileName: fileURLToPath(url), compilerOptions });
  await mkdir(KEPT, { recursive: true });
  // Processes that start together write the same file. None may read half of it.
  const written = new URL(`${kept.href}.${process.pid}`);
  await writeFile(written, outputText);
  await rename(written, kept);
  return outputText;
}

function isLocal(specifier) {
  return specifier.startsWith('.') || specifier.startsWith('file:');
}
