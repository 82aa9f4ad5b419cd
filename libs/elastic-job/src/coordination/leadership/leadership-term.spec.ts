import { describe, expect, it } from 'vitest';
import { type LeadershipTerm, TermQueue } from './leadership-term.js';

describe('the terms of a job, one after the other', () => {
  it('begin with a term that already lasts', async () => {
    const { term } = makeTerm(1);

    expect(await new TermQueue(term).next()).toEqual({ value: term, done: false });
  });

  it('wait only as the newest one, and only while it lasts', async () => {
    const queue = new TermQueue(undefined);
    const [first, second, third] = [makeTerm(1), makeTerm(2), makeTerm(3)];

    queue.push(first.term);
    queue.push(second.term);
    expect(await queue.next()).toEqual({ value: second.term, done: false });

    queue.push(second.term);
    second.end.abort();
    const next = queue.next();
    queue.push(third.term);
    expect(await next).toEqual({ value: third.term, done: false });
  });

  it('end once the signal aborts', async () => {
    const end = new AbortController();
    const queue = new TermQueue(undefined, end.signal);
    const terms: number[] = [];
    const iteration = (async () => {
      for await (const { term } of queue) terms.push(term);
    })();

    queue.push(makeTerm(1).term);
    await Promise.resolve();
    end.abort();
    await iteration;

    expect(terms).toEqual([1]);
  });

  it('end and close their queue once after the loop is left', async () => {
    let closed = 0;
    const queue = new TermQueue(makeTerm(1).term);
    queue.onClosed(() => (closed += 1));

    for await (const _ of queue) break;
    queue.close();

    expect(closed).toBe(1);
    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });

  it('are over from the start if the signal has aborted before', async () => {
    let closed = 0;
    const queue = new TermQueue(undefined, AbortSignal.abort());
    queue.onClosed(() => (closed += 1));

    expect(closed).toBe(1);
    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });
});

function makeTerm(term: number): { readonly term: LeadershipTerm; readonly end: AbortController } {
  const end = new AbortController();
  return { term: { jobName: 'j', instanceId: 'a', term, signal: end.signal, guard: [] }, end };
}
