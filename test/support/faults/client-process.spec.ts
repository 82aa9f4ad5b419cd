import { afterAll, expect, it, vi } from 'vitest';
import { type ClientProcess, forkClient, OpenHandles } from './index.js';

const LIMITS = { timeout: 20_000 };
const ECHO = new URL('./echo.fixture.ts', import.meta.url);
const handles = new OpenHandles();
afterAll(() => handles.stopAll());

async function startEcho(): Promise<ClientProcess> {
  const client = await handles.add(forkClient(ECHO, ['an argument']));
  expect(await client.receive()).toEqual({ started: 'an argument', pid: client.pid });
  return client;
}

it('runs a script in TypeScript as a process of its own, which receives and answers messages', LIMITS, async () => {
  const client = await startEcho();
  expect(client.pid).not.toBe(process.pid);
  client.send('one');
  client.send('two');
  expect(await client.receive((message) => message === 'two')).toBe('two');
  expect(await client.receive()).toBe('one');
});

it('answers from a paused process only after it was resumed', LIMITS, async () => {
  const client = await startEcho();
  client.pause();
  client.send('ping');
  await expect(client.receive(() => true, 200)).rejects.toThrow('No such message');
  client.resume();
  expect(await client.receive()).toBe('ping');
});

it('reports the last words of a process that fails while a message is awaited', LIMITS, async () => {
  const client = await startEcho();
  client.send('fail');
  await expect(client.receive()).rejects.toThrow('told to fail');
  expect(await client.ended).toEqual({ code: 1, signal: null });
  await client.stop();
});

it('shows the messages that did not match, and the last one that did, if none comes in time', LIMITS, async () => {
  const client = await startEcho();
  for (const word of ['one', 'two', 'three']) client.send(word);
  await client.receive((message) => message === 'one');
  await client.receive((message) => message === 'three');
  const missing = client.receive((message) => message === 'four', 1);
  await expect(missing).rejects.toThrow("{ received: 'three', unread: [ 'two' ] }");
});

it('kills a paused process', LIMITS, async () => {
  const client = await startEcho();
  client.pause();
  await client.kill();
  expect(await client.ended).toEqual({ code: null, signal: 'SIGKILL' });
});

it('ends a paused client when the process that has forked it is killed outright', LIMITS, async () => {
  const parent = await handles.add(forkClient(new URL('./parent.fixture.ts', import.meta.url)));
  const pid = await parent.receive((message): message is number => typeof message === 'number');
  expect(isAlive(pid)).toBe(true);
  await parent.kill();
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 4_000 });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
