import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import typescript from 'typescript';
import { expect, it, vi } from 'vitest';
import { startGuarded } from './guarded-process.js';

const newDirectory = () => mkdtemp(join(tmpdir(), 'guarded-'));

it('leaves neither process nor directory when it is stopped', async () => {
  const directory = await newDirectory();
  const server = await startGuarded(['sleep', '1000'], directory);
  expect(isAlive(server.pid)).toBe(true);
  await server.stop();
  expect(isAlive(server.pid)).toBe(false);
  expect(existsSync(directory)).toBe(false);
});

it('reports the end and the last words of a server that ends by itself', async () => {
  const directory = await newDirectory();
  const server = await startGuarded(['sh', '-c', 'echo cannot bind; exit 1'], directory);
  await server.ended;
  expect(server.lastWords()).toBe('cannot bind');
  expect(existsSync(directory)).toBe(false);
  await server.stop();
});

it('ends server and directory when the process that has started it is killed outright', async () => {
  const directory = await newDirectory();
  const script = join(await newDirectory(), 'guarded-process.mjs');
  const source = await readFile(fileURLToPath(new URL('./guarded-process.ts', import.meta.url)), 'utf8');
  const module = typescript.ModuleKind.ESNext;
  await writeFile(script, typescript.transpileModule(source, { compilerOptions: { module } }).outputText);
  const starter = spawn(process.execPath, ['--input-type=module', '-e', STARTER, script, directory]);
  const [said]: unknown[] = await once(starter.stdout.setEncoding('utf8'), 'data');
  const pid = Number(said);
  expect(isAlive(pid)).toBe(true);

  starter.kill('SIGKILL');
  await vi.waitFor(() => expect(existsSync(directory)).toBe(false), { timeout: 4_000 });
  expect(isAlive(pid)).toBe(false);
  await rm(dirname(script), { recursive: true });
});

const STARTER = `
const [script, directory] = process.argv.slice(-2);
const { startGuarded } = await import(script);
const server = await startGuarded(['sleep', '1000'], directory);
console.log(server.pid);
setInterval(() => {}, 1_000);
`;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
