import { describe, expect, it, onTestFinished } from 'vitest';
import { VirtualClock } from '../../testing/index.js';
import { clockTimesOf, SessionLease } from '../session-lease.js';
import { Session, SessionRequests } from './session/index.js';
import { SubtreeView } from './view/subtree-view.js';
import {
  type Answer,
  type Link,
  type LinkListener,
  type LinkSource,
  loadJute,
  type NodeFound,
  type NodeRead,
  Protocol,
  type Reply,
} from './wire/index.js';
import { resolveZooKeeperOptions } from './zookeeper-options.js';

const LIMIT_MS = 1_000;
const NO_NODE = -101;
const OPTIONS = resolveZooKeeperOptions({ servers: 'zk', namespace: 'shop', sessionTimeoutMs: 30_000 });
const PROTOCOL = new Protocol(loadJute(), false);
const READ = PROTOCOL.exists('/shop/a');

describe('a request that waits more than once', () => {
  it('ends within its limit if the connection comes back and no answer comes', async () => {
    const { clock, links, requests } = await start();
    links.cut();
    const outcome = outcomeOf(clock, requests.askReadOnceBack('sync /', READ, { timeoutMs: LIMIT_MS }));
    await clock.advance(0.7 * LIMIT_MS);
    links.accept();
    await clock.advance(2 * LIMIT_MS);
    expect(links.asked).toBe(1);
    expect(outcome).toEqual({ message: 'sync /: no answer within 1000 ms', afterMs: LIMIT_MS });
  });

  it('ends within its limit if it is sent again over a second connection', async () => {
    const { clock, links, requests } = await start();
    const outcome = outcomeOf(clock, requests.askRead('read /a', READ, { timeoutMs: LIMIT_MS }));
    await clock.advance(0.4 * LIMIT_MS);
    links.cut();
    await clock.advance(0.4 * LIMIT_MS);
    links.accept();
    await clock.advance(2 * LIMIT_MS);
    expect(links.asked).toBe(2);
    expect(outcome).toEqual({ message: 'read /a: no answer within 1000 ms', afterMs: LIMIT_MS });
  });

  it('ends within its limit if a server is asked before because the clock was set forward', async () => {
    const { clock, links, requests } = await start();
    clock.setWall(clock.wallNow() + 60_000);
    const outcome = outcomeOf(clock, requests.ask('read /a', READ, { timeoutMs: LIMIT_MS }));
    await clock.advance(0.7 * LIMIT_MS);
    links.accept();
    await clock.advance(2 * LIMIT_MS);
    expect(links.asked).toBe(1);
    expect(outcome).toEqual({ message: 'read /a: no answer within 1000 ms', afterMs: LIMIT_MS });
  });
});

describe('a sync of a view', () => {
  it('ends within its limit if its request and then a read of the view take long', async () => {
    const { clock, requests, session } = await start();
    let isMute = false;
    const client = {
      session,
      requests,
      watch: () => {},
      unwatch: () => {},
      relative: (path: string) => path,
      readParts: <R extends NodeRead>(
        reads: readonly R[],
        _: unknown,
        receive: (read: R, reply: Reply<NodeFound>) => void,
      ) => {
        const value: NodeFound = { kind: 'refused', code: NO_NODE };
        if (!isMute) for (const read of reads) receive(read, { kind: 'ok', value });
      },
    };
    const view = new SubtreeView(
      client,
      '/a',
      () => {},
      () => clock.sleep(0.7 * LIMIT_MS),
    );
    await clock.advanceUntil(view.open());
    isMute = true;
    view.receive('created', '/a');
    const outcome = outcomeOf(clock, view.sync({ timeoutMs: LIMIT_MS }));
    await clock.advance(3 * LIMIT_MS);
    expect(outcome).toEqual({ message: 'sync /a: no answer within 1000 ms', afterMs: LIMIT_MS });
  });
});

/** A connected session over links that never answer. */
async function start() {
  const clock = new VirtualClock();
  const lease = new SessionLease(clock);
  const links = new MuteLinks(clock, lease);
  const session = new Session(
    links,
    PROTOCOL,
    OPTIONS,
    clock,
    lease,
    async () => {},
    () => {},
  );
  onTestFinished(() => session.close());
  links.accept();
  await session.connect();
  return { clock, links, session, requests: new SessionRequests(session, lease, OPTIONS, clock) };
}

/** How a request ends, filled in then. */
function outcomeOf(clock: VirtualClock, request: Promise<unknown>): { message?: string; afterMs?: number } {
  const begun = clock.monotonicNow();
  const outcome: { message?: string; afterMs?: number } = {};
  request.catch((error: unknown) => {
    Object.assign(outcome, { message: Reflect.get(Object(error), 'message'), afterMs: clock.monotonicNow() - begun });
  });
  return outcome;
}

/** Links to a server that takes back the session when the test says so, and answers no request. */
class MuteLinks implements LinkSource {
  readonly backOff = undefined;
  /** Number of requests that have arrived. */
  asked = 0;
  cut: () => void = () => {};
  accept: () => void = () => {};
  private mayOpen = new Promise<void>((resolve) => (this.accept = resolve));

  constructor(
    private readonly clock: VirtualClock,
    private readonly lease: SessionLease,
  ) {}

  dial(_: unknown, listener: LinkListener): Link {
    let isOpen = true;
    let end: (cause: unknown) => void = () => {};
    const ended = new Promise<unknown>((resolve) => (end = resolve));
    const pending: ((answer: Answer<never>) => void)[] = [];
    const abandon = (): void => {
      if (!isOpen) return;
      isOpen = false;
      this.mayOpen = new Promise<void>((resolve) => (this.accept = resolve));
      listener.dropped();
      for (const receive of pending) receive({ kind: 'dropped', wasSent: true, cause: 'cut' });
      end('cut');
    };
    this.cut = abandon;
    return {
      get isOpen() {
        return isOpen;
      },
      lastZxid: 0n,
      ended,
      open: async () => {
        await this.mayOpen;
        const ticket = { id: '1', password: Buffer.alloc(16), timeoutMs: OPTIONS.sessionTimeoutMs };
        this.lease.grant(ticket.timeoutMs, clockTimesOf(this.clock));
        return { kind: 'connected', ticket };
      },
      send: () => {},
      ask: (request) => {
        if (request.opCode !== READ.opCode) return Promise.resolve({ kind: 'refused', code: 0 });
        this.asked += 1;
        return new Promise((resolve) => pending.push(resolve));
      },
      close: async () => abandon(),
      abandon,
    };
  }

  hold(): void {}
  async release(): Promise<void> {}
}
