import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../testing/index.js';
import { clockTimesOf, SessionLease } from '../../session-lease.js';
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

  it('sends and ends nothing over the next link on behalf of the one before', async () => {
    const { clock, keeper, links } = start();
    await clock.advance(1);
    keeper.hold(7);
    links.isAccepting = false;
    links.end();
    await clock.advance(1);
    keeper.send(1, [{ opCode: 3, payload: new Uint8Array() }]);
    keeper.abandon(1);
    expect(links.log).toEqual(['dial 1', 'dial 2', 'send 1', 'abandon 1']);
    keeper.stop();
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
  lease.grant(TICKET.timeoutMs, clockTimesOf(clock));
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

/** Links that open at once, while `isAccepting`, and end when the test says so. */
class ReadyLinks implements LinkSource {
  readonly backOff = undefined;
  readonly tickets: (SessionTicket | undefined)[] = [];
  /** Calls of the links, each with the number of its link. */
  readonly log: string[] = [];
  isAccepting = true;
  onClose: () => void = () => {};
  end: () => void = () => {};

  dial(ticket: SessionTicket | undefined): Link {
    const number = this.tickets.push(ticket);
    this.log.push(`dial ${number}`);
    let end = () => {};
    const ended = new Promise<unknown>((resolve) => (end = () => resolve(new Error('cut'))));
    this.end = end;
    return {
      isOpen: true,
      lastZxid: 0n,
      ended,
      open: (): Promise<Opening> =>
        this.isAccepting ? Promise.resolve({ kind: 'connected', ticket: TICKET }) : new Promise(() => {}),
      send: () => void this.log.push(`send ${number}`),
      ask: async () => ({ kind: 'dropped', wasSent: false, cause: undefined }),
      close: async () => {
        this.onClose();
        end();
      },
      abandon: () => {
        this.log.push(`abandon ${number}`);
        end();
      },
    };
  }

  hold(): void {}
  async release(): Promise<void> {}
}
