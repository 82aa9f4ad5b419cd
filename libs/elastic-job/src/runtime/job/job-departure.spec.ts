import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Deadline } from '../../clock/index.js';
import { DRAINING } from '../../coordination/index.js';
import { JOB } from '@test/support/unit/member.js';
import { DrainDeadlineError } from '../../domain/index.js';
import type { VirtualClock } from '../../testing/index.js';
import { DRAIN_MS, LEFT, LeavingJob } from '@test/support/unit/leaving-job.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Time within which a process that stops leaves its jobs. */
const STOP_MS = 5 * SECOND;
const NO_RIGHT = -102;
const LEFT_BEHIND =
  'left before the end of item 0: a handler that does not heed its signal goes on until it returns or this process ' +
  'ends, and others may run the item meanwhile';

let job: LeavingJob;
let clock: VirtualClock;
beforeEach(async () => {
  job = await LeavingJob.ofOne();
  ({ clock } = job.registry);
});
afterEach(() => job.assertQuiet());

describe('a process that leaves a job', () => {
  it('gives up its lead and its registration at once if nothing runs', async () => {
    const terms = job.member.leader.terms(JOB)[Symbol.asyncIterator]();
    await terms.next();
    await clock.advanceUntil(job.departure.drain());
    expect(await job.nodes()).toEqual([]);
    expect([job.lost, job.stops, job.departure.isLeaving, job.departure.removal]).toEqual([[LEFT], 1, true, undefined]);
    const late = job.presence.whileStaying(async (signal) => signal.reason);
    expect([await late, job.presence.isOver]).toEqual([LEFT, true]);
    expect(await terms.next()).toMatchObject({ done: true });
  });

  it('aborts work that only an instance that stays has to do', async () => {
    const { departure, presence } = job;
    const untilAborted = (signal: AbortSignal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));
    const done = await presence.whileStaying(async ({ aborted }) => aborted);
    const given = presence.whileStaying(untilAborted);
    await clock.advanceUntil(departure.drain());
    expect([done, await given]).toEqual([false, LEFT]);
  });

  it('announces that to others at once, and stays until its item has ended', async () => {
    const lease = await job.run();
    void job.departure.drain();
    await job.rest();
    expect(await job.nodes()).toEqual(['instance', 'session']);
    expect((await job.operator.read(job.member.tree.paths.session(job.member.id)))?.data).toBe(DRAINING);
    expect(lease.signal.aborted).toBe(false);
    await job.end(lease);
    expect([await job.nodes(), job.lost]).toEqual([[], [LEFT]]);
  });

  it('gives a running item the drain time, and one more second after its signal has aborted', async () => {
    const lease = await job.run();
    void job.departure.drain();
    await clock.advance(DRAIN_MS - 1);
    expect(lease.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(lease.signal.reason).toEqual(new DrainDeadlineError(JOB, DRAIN_MS));
    await clock.advance(SECOND - 1);
    expect(await job.nodes()).toEqual(['instance', 'session']);
    await clock.advance(1);
    expect([await job.nodes(), job.lost]).toEqual([[], [LEFT]]);
  });

  it('leaves as soon as an item that heeds the end of the drain time has ended', async () => {
    const lease = await job.run();
    void job.departure.drain();
    await clock.advance(DRAIN_MS);
    await job.end(lease);
    expect(await job.nodes()).toEqual([]);
  });

  it('leaves once if it is asked twice', async () => {
    void job.departure.drain();
    await clock.advanceUntil(job.departure.drain());
    expect([job.stops, job.lost]).toEqual([1, [LEFT]]);
  });

  it('waits for the end of a join under way', async () => {
    let fail: () => void;
    void job.presence.join(new Promise((_, reject) => (fail = () => reject(new Error('not joined')))));
    void job.departure.drain();
    await clock.advance(SECOND);
    expect(await job.nodes()).toEqual(['leader', 'instance', 'session']);
    fail!();
    await job.rest();
    expect(await job.nodes()).toEqual([]);
  });

  it('has one session at a time, and another one only once the first is left', () => {
    const { session } = job.presence;
    expect(() => job.presence.wait(session!)).toThrow('has joined meanwhile');
    job.presence.leave();
    job.presence.wait(session!);
    expect(job.presence.mode).toEqual({ kind: 'waiting', session });
  });

  it('leaves without an event if it has no session', async () => {
    job.presence.leave();
    await clock.advanceUntil(job.departure.drain());
    expect([job.lost, job.told]).toEqual([[LEFT], []]);
  });

  it('leaves once the registry is back if the process goes on', async () => {
    job.registry.memory.suspend(job.member.sessionId);
    void job.departure.drain();
    await clock.advance(2 * SECOND);
    expect(job.lost).toEqual([]);
    job.registry.memory.resume(job.member.sessionId);
    await clock.advance(SECOND);
    expect([await job.nodes(), job.lost, job.told]).toEqual([[], [LEFT], []]);
  });

  it('leaves without the registry, and warns, if the process stops', async () => {
    job.registry.memory.suspend(job.member.sessionId);
    const leaving = job.departure.drain(Deadline.after(clock, STOP_MS));
    await job.rest();
    expect(job.lost).toEqual([LEFT]);
    await leaving;
    expect(job.told).toMatchObject([
      { kind: 'warning', message: expect.stringContaining("without the registry's answer") },
    ]);
  });

  it('aborts an item that does not end, and leaves it behind, once the process has to stop', async () => {
    const lease = await job.run();
    const leaving = job.departure.drain(Deadline.after(clock, STOP_MS));
    await clock.advance(STOP_MS - 1);
    expect([lease.signal.aborted, job.lost]).toEqual([false, []]);
    await clock.advance(1);
    await leaving;
    expect([lease.signal.reason, job.lost]).toEqual([LEFT, [LEFT]]);
    expect(job.told).toMatchObject([{ kind: 'warning', message: LEFT_BEHIND }]);
    void job.departure.obeyRemoval(job.member.id);
    await clock.advance(DRAIN_MS);
    expect(job.told).toHaveLength(1);
  });

  it('warns as it leaves of a handler that has not heeded its signal', async () => {
    await job.run();
    const leaving = job.departure.drain(Deadline.after(clock, DRAIN_MS + STOP_MS));
    await clock.advance(DRAIN_MS + SECOND - 1);
    expect(job.told).toEqual([]);
    await clock.advance(1);
    await leaving;
    expect([await job.nodes(), job.told]).toMatchObject([[], [{ kind: 'warning', message: LEFT_BEHIND }]]);
  });

  it('says without failover that the run of such a handler is not repeated', async () => {
    job.settings.configuration = { ...job.settings.configuration, failover: false };
    await job.run();
    await clock.advanceUntil(job.departure.drain());
    const message =
      'left before the end of item 0: a handler that does not heed its signal goes on until it returns or this ' +
      'process ends; its run is not repeated, but others may run the next fire times meanwhile';
    expect(job.told).toMatchObject([{ kind: 'warning', message }]);
  });

  it('warns of such a handler also if its session was lost before', async () => {
    await job.run();
    job.presence.leave();
    job.member.trees.forget(JOB);
    await clock.advanceUntil(job.departure.drain());
    expect(job.told).toMatchObject([{ kind: 'warning', message: LEFT_BEHIND }]);
  });

  it('does not warn of a run whose task another instance adopts', async () => {
    job.definition.tasks = 'adoptable';
    await job.run();
    await clock.advanceUntil(job.departure.drain());
    expect([job.lost, job.told]).toEqual([[LEFT], []]);
  });

  it('tells of such a handler once if the registry does not answer either', async () => {
    await job.run();
    const leaving = job.departure.drain(Deadline.after(clock, DRAIN_MS + STOP_MS));
    await clock.advance(DRAIN_MS);
    job.registry.memory.suspend(job.member.sessionId);
    await clock.advanceUntil(leaving);
    await clock.advance(STOP_MS);
    const registry = expect.stringContaining("without the registry's answer");
    expect(job.told).toMatchObject([
      { kind: 'warning', message: LEFT_BEHIND },
      { kind: 'warning', message: registry },
    ]);
  });

  it('reports a removal that the registry refuses, and leaves once it is accepted', async () => {
    const path = job.member.tree.paths.instance(job.member.id);
    const mend = job.registry.memory.fail((request) => (request.path.endsWith(path) ? NO_RIGHT : undefined));
    void job.departure.drain();
    await clock.advance(MINUTE);
    expect([job.takeReports(), job.lost]).toEqual([['leaving the job'], []]);
    mend();
    await clock.advance(MINUTE);
    expect([await job.nodes(), job.lost]).toEqual([[], [LEFT]]);
  });

  it('reports an announcement that the registry refuses, and leaves all the same', async () => {
    job.registry.memory.fail(({ kind }) => (kind === 'set' ? NO_RIGHT : undefined));
    await clock.advanceUntil(job.departure.drain());
    expect([job.takeReports(), await job.nodes()]).toEqual([['announcing the departure'], []]);
  });
});
