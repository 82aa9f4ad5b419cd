import { expect, it } from 'vitest';
import { Program } from './program.js';

const cwd = process.cwd();

it('given a program with another one in the background, when it is killed, then both have ended', async () => {
  const program = new Program('bash', ['-c', 'sleep 1000 & echo ready; wait'], { cwd });
  await program.says(/ready/);
  await program.kill();
  // Both write to the same pipe, so it would be open as long as one of them lives.
  expect(await program.ended).toBe('SIGKILL');
});

it('given a program that ends without a word, when that is awaited, then the error has what it has said', async () => {
  const program = new Program('bash', ['-c', 'echo other; exit 3'], { cwd });
  await expect(program.says(/a word/)).rejects.toThrow(/has ended without .*other/);
  expect(await program.ended).toBe(3);
});

it('given an earlier match, when a later one is awaited, then only what comes since counts', async () => {
  const program = new Program('bash', ['-c', 'echo ready 1; read line; echo ready 2'], { cwd });
  await program.says(/ready/);
  const since = program.output.length;
  program.type('go on');
  expect((await program.says(/ready (\d)/, since))[1]).toBe('2');
  await program.ended;
});
