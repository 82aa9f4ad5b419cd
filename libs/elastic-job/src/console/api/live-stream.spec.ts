import { FakeConsole } from '@test/support/unit/console.js';
import { VirtualClock } from '@app/elastic-job/testing';
import { describe, expect, it } from 'vitest';
import { type ConsoleCaller, ConsoleProblem, type ConsoleRequest, type FrameSink } from '../contract/index.js';
import { HidingSinks } from './hiding-sinks.js';
import { openLive } from './live-stream.js';

const VERA: ConsoleCaller = { name: 'Vera', role: 'viewer', by: 'page' };

/** A stream that its caller has opened, and a client that notes what it gets. */
function opened(client = new AbortController()) {
  const clock = new VirtualClock();
  const frames: string[] = [];
  const state: { caller: ConsoleCaller | undefined; isEnded: boolean; uses: number } = {
    caller: VERA,
    isEnded: false,
    uses: 0,
  };
  const streams = {
    open: (_caller: ConsoleCaller, _topics: readonly string[], sink: FrameSink, signal: AbortSignal) => {
      sink.write('data: {"parameter":"x"}\n\n');
      signal.addEventListener('abort', () => sink.end());
    },
  };
  const authenticate = async (_request: ConsoleRequest, isUse = true) => {
    state.uses += isUse ? 1 : 0;
    if (state.caller === undefined) throw new ConsoleProblem(401, 'UNAUTHENTICATED', 'Log in.');
    return state.caller;
  };
  const sinks = new HidingSinks(() => ({ parameter: null }));
  const request = { signal: client.signal } satisfies Partial<ConsoleRequest>;
  // oxlint-disable-next-line no-unsafe-type-assertion -- the fakes read nothing else of it
  const connect = openLive({ clock, identities: { authenticate }, sinks, streams }, request as ConsoleRequest, {
    caller: VERA,
    topics: ['jobs'],
  });
  connect({
    write: (frame) => frames.push(frame) > 0,
    onDrain: () => {},
    onClose: () => {},
    end: () => void (state.isEnded = true),
  });
  return { clock, frames, state };
}

describe('a stream', () => {
  it('hides what its caller may not see, also in what was written before the client was there', () => {
    expect(opened().frames).toEqual(['data: {"parameter":null}\n\n']);
  });

  it.each([
    ['is logged out', undefined],
    ['has another role', { ...VERA, role: 'operator' } as const],
    ['has another prefix', { ...VERA, jobPrefix: 'finance-' }],
  ])('ends within 15 s once its caller %s', async (_what, caller) => {
    const { clock, state } = opened();
    await clock.advance(60_000);
    expect(state).toMatchObject({ isEnded: false, uses: 0 });
    state.caller = caller;
    await clock.advance(15_000);
    expect(state.isEnded).toBe(true);
  });

  it('ends with its client, and leaves no timer', async () => {
    const client = new AbortController();
    const { clock, state } = opened(client);
    expect(clock.pendingTimers).toBe(1);
    client.abort();
    expect(state.isEnded).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('that is only looked for, by HEAD, is not opened', async () => {
    let isOpen = false;
    const console = new FakeConsole({ streams: { open: () => void (isOpen = true) } });
    const answer = await console.ask('viewer', 'HEAD', '/live');
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-type': expect.stringContaining('text/event-stream') },
    });
    expect(isOpen).toBe(false);
  });

  it('that is one too many is refused by an answer', async () => {
    const open = () => {
      throw new ConsoleProblem(429, 'TOO_MANY_REQUESTS', 'There are 10 already.', {}, { 'retry-after': '10' });
    };
    const answer = await new FakeConsole({ streams: { open } }).ask('viewer', 'GET', '/live');
    expect(answer).toMatchObject({ status: 429, headers: { 'retry-after': '10' } });
  });
});
