import { expect, it } from 'vitest';
import { Program } from './program.js';

const cwd = process.cwd();

it('is killed together with a program that it has started in the background', async () => {
  const program = new Program('bash', ['-c', 'sleep 1000 & echo ready; wait'], { cwd });
  await program.says(/ready/);
  await program.kill();
  // Both write to the same pipe, so it stays open as long as one of them lives.
  expect(await program.ended).toBe('SIGKILL');
});

it('reports its output in the error if it ends before the awaited text', async () => {
  const program = new Program('bash', ['-c', 'echo other; exit 3'], { cwd });
  await expect(program.says(/a word/)).rejects.toThrow(/has ended without .*other/);
  expect(await program.ended).toBe(3);
});

it('looks for a match only in the output since an earlier one', async () => {
  const program = new Program('bash', ['-c', 'echo ready 1; read line; echo ready 2'], { cwd });
  await program.says(/ready/);
  const since = program.output.length;
  program.type('go on');
  expect((await program.says(/ready (\d)/, since))[1]).toBe('2');
  await program.ended;
});
