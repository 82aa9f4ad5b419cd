import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { ChannelWriter } from './lines.js';

/** Reads its channel once its standard input has ended, and repeats it. */
const SLOW_READER = `
  process.stdin.resume().on('end', () => {
    const channel = new (require('node:net').Socket)({ fd: 3, readable: true });
    channel.pipe(process.stdout);
  });`;

function startReader() {
  const child = spawn(process.execPath, ['-e', SLOW_READER], { stdio: ['pipe', 'pipe', 'inherit', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [stdin, stdout, , channel] = child.stdio;
  if (!(channel instanceof Duplex)) throw new Error('The process has no channel.');
  return { channel, all: text(stdout!), heard: once(stdout!, 'data'), read: () => stdin!.end() };
}

it('keeps only the newest of what a task need not hear twice, until the task reads', async () => {
  const { all, channel, heard, read } = startReader();
  const writer = new ChannelWriter(channel);
  for (let number = 1; number <= 10_000; number += 1) writer.writeNewest(`grant ${number}`);
  writer.write('saved');

  read();
  await heard;
  writer.writeNewest('grant 10001');
  channel.end();
  const lines = (await all).split('\n').slice(0, -1);
  expect(lines.length).toBeLessThan(5_000);
  expect(lines.slice(-2)).toEqual(['saved', 'grant 10001']);
});
