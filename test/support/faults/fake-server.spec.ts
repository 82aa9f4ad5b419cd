import { once } from 'node:events';
import { connect as dial } from 'node:net';
import { afterAll, expect, it, vi } from 'vitest';
import { frame, int32 } from './frames.js';
import { connectRawClient, type FakeServerScript, MALFORMED, OP, OpenHandles, startFakeServer } from './index.js';

const NO_NODE = -101;
const handles = new OpenHandles();
afterAll(() => handles.stopAll());

const startServer = (script?: FakeServerScript) => handles.add(startFakeServer(script));

it('opens a session without a script, and answers that there is no node', async () => {
  const server = await startServer();
  const client = await handles.add(connectRawClient(server.port, { sessionTimeoutMs: 1_234 }));
  expect([client.sessionId, client.sessionTimeoutMs]).toEqual(['1', 1_234]);
  expect(await client.exists('/any')).toMatchObject({ xid: 1, error: NO_NODE });
  expect(await client.request(OP.closeSession, Buffer.alloc(0))).toMatchObject({ error: 0 });
  expect(server.connections).toBe(1);
});

it.each(Object.entries(MALFORMED))('sends exactly the bytes of %s as its answer', async (_name, malformed) => {
  const server = await startServer({ reply: () => malformed });
  const socket = dial(server.port, '127.0.0.1');
  socket.write(frame(Buffer.alloc(45)));
  expect(await once(socket, 'data')).toEqual([expect.objectContaining({ length: 41 })]);
  socket.write(frame(Buffer.concat([int32(1), int32(OP.ping)])));
  expect(await once(socket, 'data')).toEqual([malformed]);
  socket.destroy();
});

it('opens a session for a moment if it hangs up after the handshake', async () => {
  const server = await startServer({ cutAfterHandshake: true });
  const client = await handles.add(connectRawClient(server.port));
  await client.closed;
  await expect(client.exists('/')).rejects.toThrow('has ended');
});

it('opens no session if it says nothing or hangs up', async () => {
  const { port } = await startServer({ handshake: 'cut' });
  await expect(connectRawClient(port)).rejects.toThrow('has ended');

  const silent = await startServer({ handshake: 'silence' });
  const waiting = connectRawClient(silent.port);
  await vi.waitFor(() => expect(silent.connections).toBe(1));
  const stopped = silent.stop();
  await expect(waiting).rejects.toThrow('has ended');
  await stopped;
});
