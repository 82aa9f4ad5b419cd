import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fourLetter } from './four-letter.js';

const PROBE_LIMIT_MS = 150;
const PAUSE_MS = 50;

/**
 * Lies outside the ports of outgoing connections. One of these could take the port of a server that is down for a
 * moment.
 */
const FIRST_PORT = 10_000;
const LAST_PORT = 32_000;

/** Binds a server to a free loopback port, or to the given one. @returns the port */
export async function listen(server: Server, wanted = 0): Promise<number> {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(wanted, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new TypeError('A server on a loopback port has no address.');
  return address.port;
}

/** A loopback port that was free a moment ago. ZooKeeper itself cannot choose one. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}

/** That many different loopback ports that were free a moment ago. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const held: Server[] = [];
  const ports: number[] = [];
  while (ports.length < count) {
    const server = createServer();
    try {
      ports.push(await listen(server, randomInt(FIRST_PORT, LAST_PORT)));
      held.push(server);
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
  await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Resolves to true when the server on the loopback port serves, or to false when it has ended or the time is up. */
export async function serves(port: number, ended: Promise<void>, limitMs: number): Promise<boolean> {
  const limit = new AbortController();
  void ended.then(() => limit.abort());
  const timer = setTimeout(() => limit.abort(), limitMs);
  try {
    while (!limit.signal.aborted) {
      if (await answers(port)) return true;
      await delay(PAUSE_MS);
    }
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/** One probe. It has its own limit, because a server that is still starting may never answer and never close. */
async function answers(port: number): Promise<boolean> {
  try {
    return (await fourLetter(port, 'srvr', PROBE_LIMIT_MS)).includes('Mode:');
  } catch {
    return false;
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES');
}
