import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

/** Runs git. @returns its output without the last line's end */
export async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', args, { cwd, maxBuffer: 2 ** 27 });
  return stdout.trimEnd();
}

/** Runs a command that shows its output. @throws if it fails */
export async function run(cwd: string, command: string, ...args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { cwd, stdio: 'inherit' });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${[command, ...args].join(' ')} has ended with ${code}.`);
}
