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

let job: LeavingJob;
let clock: VirtualClock;
beforeEach(async () => {
  job = await LeavingJob.ofOne();
  ({ clock } = job.registry);
});
afterEach(() => job.assertQuiet());

describe('a process that leaves a job', () => {
  it('given nothing runs, when it leaves, then its lead and its registration are gone at once', async () => {
    const terms = job.member.leader.terms(JOB)[Symbol.asyncIterator]();
    await terms.next();
    await clock.advanceUntil(job.departure.drain());
    expect(await job.nodes()).toEqual([]);
    expect([job.lost, job.stops, job.departure.isLeaving, job.departure.removal]).toEqual([[LEFT], 1, true, undefined]);
    const late = job.departure.whileStaying(async (signal) => signal.reason);
    expect([await late, job.departure.isDecided]).toEqual([LEFT, true]);
    expect(await terms.next()).toMatchObject({ done: true });
  });

  it('given work that only one who stays has to do, when it leaves, then that is given up', async () => {
    const { departure } = job;
    const untilAborted = (signal: AbortSignal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));
    const done = await departure.whileStaying(async ({ aborted }) => aborted);
    const given = departure.whileStaying(untilAborted);
    await clock.advanceUntil(departure.drain());
    expect([done, await given]).toEqual([false, LEFT]);
  });

  it('given an item that runs, when it leaves, then others know at once, and it stays until the end', async () => {
    const lease = await job.run();
    void job.departure.drain();
    await job.rest();
    expect(await job.nodes()).toEqual(['instance', 'session']);
    expect((await job.operator.read(job.member.tree.paths.session(job.member.id)))?.data).toBe(DRAINING);
    expect(lease.signal.aborted).toBe(false);
    await job.end(lease);
    expect([await job.nodes(), job.lost]).toEqual([[], [LEFT]]);
  });

  it('given an item that does not end, when the drain time is over, then it has one more second', async () => {
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

  it('given an item that heeds the end of the drain time, when it has ended, then the process is gone', async () => {
    const lease = await job.run();
    void job.departure.drain();
    await clock.advance(DRAIN_MS);
    await job.end(lease);
    expect(await job.nodes()).toEqual([]);
  });

  it('given it leaves already, when it is asked again, then it leaves once', async () => {
    void job.departure.drain();
    await clock.advanceUntil(job.departure.drain());
    expect([job.stops, job.lost]).toEqual([1, [LEFT]]);
  });

  it('given a join under way, when it leaves, then it waits for the end of that', async () => {
    let fail: () => void;
    job.joining = new Promise((_, reject) => (fail = () => reject(new Error('not joined'))));
    void job.departure.drain();
    await clock.advance(SECOND);
    expect(await job.nodes()).toEqual(['leader', 'instance', 'session']);
    fail!();
    await job.rest();
    expect(await job.nodes()).toEqual([]);
  });

  it('given a job without a session, when it leaves, then it is over, and nothing is told', async () => {
    job.hasSession = false;
    await clock.advanceUntil(job.departure.drain());
    expect([job.lost, job.told]).toEqual([[LEFT], []]);
  });

  it('given a registry that is away, when the process goes on, then it leaves as soon as that is back', async () => {
    job.registry.memory.suspend(job.member.sessionId);
    void job.departure.drain();
    await clock.advance(2 * SECOND);
    expect(job.lost).toEqual([]);
    job.registry.memory.resume(job.member.sessionId);
    await clock.advance(SECOND);
    expect([await job.nodes(), job.lost, job.told]).toEqual([[], [LEFT], []]);
  });

  it('given a registry that is away, when the process stops, then it leaves without it, and warns', async () => {
    job.registry.memory.suspend(job.member.sessionId);
    const leaving = job.departure.drain(Deadline.after(clock, STOP_MS));
    await job.rest();
    expect(job.lost).toEqual([LEFT]);
    await leaving;
    expect(job.told).toMatchObject([{ kind: 'warning', message: expect.stringContaining('without the registry') }]);
  });

  it('given an item that does not end, when the process has to stop, then it is aborted and left behind', async () => {
    const lease = await job.run();
    const leaving = job.departure.drain(Deadline.after(clock, STOP_MS));
    await clock.advance(STOP_MS - 1);
    expect([lease.signal.aborted, job.lost]).toEqual([false, []]);
    await clock.advance(1);
    await leaving;
    expect([lease.signal.reason, job.lost]).toEqual([LEFT, [LEFT]]);
    expect(job.told).toMatchObject([{ kind: 'warning' }]);
    void job.departure.obeyRemoval(job.member.id);
    expect(job.told).toHaveLength(1);
  });

  it('given a registry that refuses its removal, when it stops that, then the process leaves', async () => {
    const path = job.member.tree.paths.instance(job.member.id);
    const mend = job.registry.memory.fail((request) => (request.path.endsWith(path) ? NO_RIGHT : undefined));
    void job.departure.drain();
    await clock.advance(MINUTE);
    expect([job.takeReports(), job.lost]).toEqual([['leaving the job'], []]);
    mend();
    await clock.advance(MINUTE);
    expect([await job.nodes(), job.lost]).toEqual([[], [LEFT]]);
  });

  it('given a registry that refuses the announcement, when it leaves, then that is told, and it is gone', async () => {
    job.registry.memory.fail(({ kind }) => (kind === 'set' ? NO_RIGHT : undefined));
    await clock.advanceUntil(job.departure.drain());
    expect([job.takeReports(), await job.nodes()]).toEqual([['announcing the departure'], []]);
  });
});
