import { Deadline } from '../../clock/index.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { createCoordinationServices, type ExecutionLease, JobTree } from '../../coordination/index.js';
import { MemoryRegistry } from '../../registry/index.js';
import { resolveJobOptions } from '../../domain/index.js';
import { VirtualClock } from '../../testing/index.js';
import { RunningItems } from './running-items.js';

let clock: VirtualClock;
let running: RunningItems;
beforeEach(() => {
  clock = new VirtualClock();
  running = new RunningItems();
});

describe('the items that run in a process', () => {
  it('are gone once they have ended, which ends a wait for the last one', async () => {
    const lease = await makeLease([1, 2]);
    running.add(lease);
    const ending = Deadline.after(clock, 1_000).holdsFor(running.ended());

    running.endLease(1, lease);
    expect([running.has(1), running.has(2), running.size]).toEqual([false, true, 1]);
    running.endLease(2, lease);

    expect(await ending).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('let a wait fail if one of them does not end in time', async () => {
    running.add(await makeLease([1]));

    const ending = Deadline.after(clock, 1_000).holdsFor(running.ended());
    await clock.advance(1_000);

    expect(await ending).toBe(false);
  });

  it('end a lease that is added after all were ended, with the same reason', async () => {
    const reason = new Error('shut down');
    running.end(reason);

    const late = await makeLease([1]);
    running.add(late);

    expect(late.signal.reason).toBe(reason);
  });

  it('let nobody wait if there are none', async () => {
    expect(await Deadline.after(clock, 0).holdsFor(running.ended())).toBe(true);
  });

  it('include what a begin under way begins, for those who wait', async () => {
    const lease = await makeLease([1]);
    let answer: (() => void) | undefined;
    const begin = async () => {
      await new Promise<void>((resolve) => (answer = resolve));
      running.add(lease);
    };
    const beginning = running.expect(begin);
    let isOver = false;
    const ending = Deadline.after(clock, 10_000)
      .holdsFor(running.ended())
      .then(() => (isOver = true));

    answer?.();
    await beginning;
    await clock.advance(100);
    expect(isOver).toBe(false);
    running.endLease(1, lease);
    await ending;

    expect(isOver).toBe(true);
  });

  it('do not include a begin that fails, for those who wait', async () => {
    const failing = running.expect(() => Promise.reject(new Error('no')));
    const ending = Deadline.after(clock, 10_000).holdsFor(running.ended());

    await expect(failing).rejects.toThrow('no');
    expect(await ending).toBe(true);
  });

  it('keep an item that a later lease has taken over after the earlier lease ends', async () => {
    const [earlier, later] = [await makeLease([1]), await makeLease([1])];
    running.add(earlier);
    running.add(later);

    running.endLease(1, earlier);

    expect(running.has(1)).toBe(true);
  });

  it('keep the released item of a hanging handler until the handler returns', async () => {
    const lease = await makeLease([1]);
    running.add(lease);
    const hung = { item: 1, since: 0, reason: new Error('drain'), isReleased: true };
    running.hang(lease, hung);

    expect(running.endLease(1, lease)).toBe(false);
    expect([running.has(1), running.hung]).toEqual([true, [hung]]);
    expect(running.return(1, lease)).toBe(true);
    expect([running.has(1), running.hung]).toEqual([false, []]);
  });

  it('list hanging handlers by item, whatever hung first', async () => {
    const leases = [await makeLease([7]), await makeLease([2]), await makeLease([5])];
    for (const lease of leases) {
      running.add(lease);
      running.hang(lease, { item: lease.items[0]!, since: 0, reason: new Error('drain'), isReleased: true });
    }
    expect(running.hung.map(({ item }) => item)).toEqual([2, 5, 7]);
  });

  it('keep a free item free if its handler is late to hang or return', async () => {
    const lease = await makeLease([1]);
    running.hang(lease, { item: 1, since: 0, reason: new Error('drain'), isReleased: true });
    expect([running.return(1, lease), running.has(1), running.hung]).toEqual([false, false, []]);
  });

  it('pass the reason of an abort to the signal of each lease', async () => {
    const leases = [await makeLease([1, 2]), await makeLease([3])];
    for (const lease of leases) running.add(lease);
    const reason = new Error('drain');

    running.abort(reason);

    expect(leases.map(({ signal }) => signal.reason)).toEqual([reason, reason]);
  });
});

/** A lease of a job without execution monitoring, which needs no node. */
async function makeLease(items: readonly number[]): Promise<ExecutionLease> {
  const options = { namespace: 'test', clock, sessionTimeoutMs: 10_000, requestTimeoutMs: 5_000 };
  const registry = new MemoryRegistry(clock).center(options);
  await registry.connect();
  const services = createCoordinationServices({ registry, clock, javaReconnectGraceMs: 1_000 });
  const job = { name: 'j', cron: '0 * * * * ?', shardingTotalCount: 9, monitorExecution: false };
  services.configurations.declare({
    configuration: resolveJobOptions(job, { place: 'spec' }),
    className: 'j',
    place: 'spec',
  });
  services.trees.set(await JobTree.open(registry, clock, 'j', { jobInstanceId: '1@-@1', serverIp: '1' }));
  const trigger = { jobName: 'j', fireTime: 1, origin: 'schedule', source: 'NORMAL_TRIGGER' } as const;
  const { lease } = await services.executions.begin({ trigger, items });
  return lease!;
}
