import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../testing/index.js';
import { momentOf, SessionLease } from '../../session-lease.js';
import type { Link, LinkSource, Opening, SessionTicket } from '../wire/index.js';
import type { News } from './messages.js';
import { SessionKeeper } from './session-keeper.js';

const TICKET: SessionTicket = { id: '1', password: Buffer.alloc(16), timeoutMs: 9_000 };

describe('the keeper of a session', () => {
  it('continues a session in use by the next link after its link has ended', async () => {
    const { clock, keeper, links, news } = start();
    await clock.advance(1);
    keeper.hold(7);
    links.end();
    await clock.advance(1);
    expect(links.tickets).toEqual([undefined, TICKET]);
    expect(news.map(({ kind }) => kind)).toEqual(['opened', 'dropped', 'opened']);
    keeper.stop();
  });

  it('ends a session that is not in use yet if its link ends, and dials no other link', async () => {
    const { clock, keeper, lease, links, news } = start();
    await clock.advance(1);
    keeper.hold(6); // another session
    links.end();
    await clock.advance(1);
    expect(links.tickets).toEqual([undefined]);
    expect(news.map(({ kind }) => kind)).toEqual(['opened', 'dropped', 'expired']);
    expect(lease.remainingMs()).toBe(0);
  });

  it('ends the lease of a session that is given up before it closes the link', async () => {
    const { clock, keeper, lease, links, news } = start();
    await clock.advance(1);
    keeper.hold(7);
    expect(lease.remainingMs()).toBeGreaterThan(0);
    links.onClose = () => expect(lease.remainingMs()).toBe(0);
    keeper.giveUp();
    await clock.advance(1);
    expect(news.map(({ kind }) => kind)).toEqual(['opened', 'dropped', 'expired']);
    expect.assertions(3);
  });
});

function start() {
  const clock = new VirtualClock();
  const lease = new SessionLease(clock);
  lease.grant(TICKET.timeoutMs, momentOf(clock));
  const links = new ReadyLinks();
  const news: News[] = [];
  let numbers = 0;
  const keeper = new SessionKeeper(
    7,
    links,
    clock,
    lease,
    () => (numbers += 1),
    (one) => news.push(one),
  );
  void keeper.run();
  return { clock, keeper, lease, links, news };
}

/** Links that open at once and end when the test says so. */
class ReadyLinks implements LinkSource {
  readonly backOff = undefined;
  readonly tickets: (SessionTicket | undefined)[] = [];
  onClose: () => void = () => {};
  end: () => void = () => {};

  dial(ticket: SessionTicket | undefined): Link {
    this.tickets.push(ticket);
    const ended = new Promise<unknown>((resolve) => (this.end = () => resolve(new Error('cut'))));
    return {
      isOpen: true,
      lastZxid: 0n,
      ended,
      open: async (): Promise<Opening> => ({ kind: 'connected', ticket: TICKET }),
      send: () => {},
      ask: async () => ({ kind: 'dropped', wasSent: false, cause: undefined }),
      close: async () => {
        this.onClose();
        this.end();
      },
      abandon: () => this.end(),
    };
  }

  hold(): void {}
  async release(): Promise<void> {}
}
