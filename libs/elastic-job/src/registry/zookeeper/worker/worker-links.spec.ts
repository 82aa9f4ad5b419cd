import { afterEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../../clock/index.js';
import { Hidden } from '../../../domain/index.js';
import { loadJute, Protocol } from '../wire/index.js';
import type { News } from './messages.js';
import { SharedLease, sharedLeaseMemory } from './shared-lease.js';
import { WorkerLinks } from './worker-links.js';

const clock = new SystemClock();
const protocol = new Protocol(loadJute(), false);
const listener = { watched: () => {}, mayDeliver: () => true, dropped: () => {} };
const ticket = { id: '1', password: Buffer.alloc(16), timeoutMs: 9_000 };
let links: WorkerLinks;

afterEach(() => links.release());

describe('links of a worker thread', () => {
  it('get the news of their own attempt alone', async () => {
    links = linksThatReport([
      { kind: 'failed', session: 1, problem: 'nobody there' },
      { kind: 'opened', session: 1, link: 1, ticket },
      { kind: 'dropped', link: 1, sent: 0, problem: 'cut' },
      { kind: 'failed', session: 1, problem: 'still nobody' },
      { kind: 'opened', session: 1, link: 2, ticket },
    ]);
    expect(await links.dial(undefined, listener).open()).toMatchObject({
      kind: 'failed',
      cause: Error('nobody there'),
    });
    const first = links.dial(undefined, listener);
    expect(await first.open()).toEqual({ kind: 'connected', ticket });
    expect(await first.ended).toEqual(Error('cut'));
    expect(await links.dial(ticket, listener).open()).toMatchObject({ kind: 'failed', cause: Error('still nobody') });
    const second = links.dial(ticket, listener);
    expect(await second.open()).toMatchObject({ kind: 'connected' });
    expect(second.isOpen).toBe(true);
  });

  it('ignore news of a session before this one', async () => {
    links = linksThatReport([
      { kind: 'expired', session: 0 },
      { kind: 'opened', session: 0, link: 1, ticket: { ...ticket, id: 'old' } },
      { kind: 'dropped', link: 1, sent: 0, problem: 'cut' },
      { kind: 'opened', session: 1, link: 2, ticket },
    ]);
    expect(await links.dial(undefined, listener).open()).toEqual({ kind: 'connected', ticket });
  });

  it('report to each request whether it was sent if the link drops', async () => {
    links = linksThatReport(
      [{ kind: 'opened', session: 1, link: 1, ticket }],
      [{ kind: 'dropped', link: 1, sent: 1, problem: 'cut' }],
    );
    const link = links.dial(undefined, listener);
    await link.open();
    const answers = await Promise.all([link.ask(protocol.exists('/a')), link.ask(protocol.exists('/b'))]);
    expect(answers).toMatchObject([{ wasSent: true }, { wasSent: false }]);
    expect(await link.ask(protocol.exists('/c'))).toMatchObject({ kind: 'dropped', wasSent: false });
  });
});

/** Links of a worker that reports the first news when a session is begun, and the next ones at the first requests. */
function linksThatReport(atBegin: readonly News[], atRequests: readonly News[] = []): WorkerLinks {
  const script = `
    import { parentPort } from 'node:worker_threads';
    const report = (news) => parentPort.postMessage({ kind: 'news', news, lastZxid: 0n });
    parentPort.on('message', ({ kind }) => {
      if (kind === 'begin') report(${asSource(atBegin)});
      if (kind === 'requests') report(${asSource(atRequests)});
    });`;
  const memory = sharedLeaseMemory();
  const dialing = {
    servers: [],
    sessionTimeoutMs: 9_000,
    connectionTimeoutMs: 9_000,
    serverTickMs: undefined,
  };
  const credentials = { digest: undefined, sasl: undefined, tls: undefined, requireTls: false };
  const settings = new Hidden({ dialing, credentials, maxBlockedMs: 60_000, lease: memory });
  const entry = new URL(`data:text/javascript,${encodeURIComponent(script)}`);
  return new WorkerLinks(protocol, clock, new SharedLease(memory, clock), settings, entry);
}

function asSource(news: readonly News[]): string {
  return JSON.stringify(news, (_key, value: unknown) => (isBuffer(value) ? value.data : value));
}

/** `JSON.stringify` passes buffers in this form already. */
function isBuffer(value: unknown): value is { readonly data: readonly number[] } {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer';
}
