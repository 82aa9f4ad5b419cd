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
  it('given a lease, when its items end, then they are gone, and waiters for the last one are told', async () => {
    const lease = await makeLease([1, 2]);
    running.add(lease);
    const ending = Deadline.after(clock, 1_000).holdsFor(running.ended());

    running.endLease(1, lease);
    expect([running.has(1), running.has(2), running.size]).toEqual([false, true, 1]);
    running.endLease(2, lease);

    expect(await ending).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('given an item that does not end, when the time is over, then that is told', async () => {
    running.add(await makeLease([1]));

    const ending = Deadline.after(clock, 1_000).holdsFor(running.ended());
    await clock.advance(1_000);

    expect(await ending).toBe(false);
  });

  it('given items told to stop, when a begin under way is added, then it is told as well', async () => {
    const reason = new Error('shut down');
    running.end(reason);

    const late = await makeLease([1]);
    running.add(late);

    expect(late.signal.reason).toBe(reason);
  });

  it('given nothing runs, when somebody waits, then there is nothing to wait for', async () => {
    expect(await Deadline.after(clock, 0).holdsFor(running.ended())).toBe(true);
  });

  it('given a begin under way, when somebody waits, then what it begins is waited for as well', async () => {
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

  it('given a begin that fails, when somebody waits, then it is no longer waited for', async () => {
    const failing = running.expect(() => Promise.reject(new Error('no')));
    const ending = Deadline.after(clock, 10_000).holdsFor(running.ended());

    await expect(failing).rejects.toThrow('no');
    expect(await ending).toBe(true);
  });

  it('given an item that a later lease has taken over, when the earlier one ends, then it still runs', async () => {
    const [earlier, later] = [await makeLease([1]), await makeLease([1])];
    running.add(earlier);
    running.add(later);

    running.endLease(1, earlier);

    expect(running.has(1)).toBe(true);
  });

  it('given a hanging handler, when its item is given up, then it is free only when the handler returns', async () => {
    const lease = await makeLease([1]);
    running.add(lease);
    const hung = { item: 1, since: 0, reason: new Error('drain'), isReleased: true };
    running.hang(lease, hung);

    expect(running.endLease(1, lease)).toBe(false);
    expect([running.has(1), running.hung]).toEqual([true, [hung]]);
    expect(running.return(1, lease)).toBe(true);
    expect([running.has(1), running.hung]).toEqual([false, []]);
  });

  it('given handlers that hang, when they are asked for, then they come by item, whatever hung first', async () => {
    const leases = [await makeLease([7]), await makeLease([2]), await makeLease([5])];
    for (const lease of leases) {
      running.add(lease);
      running.hang(lease, { item: lease.items[0]!, since: 0, reason: new Error('drain'), isReleased: true });
    }
    expect(running.hung.map(({ item }) => item)).toEqual([2, 5, 7]);
  });

  it('given an item that is free again, when its handler is late to hang or return, then it stays free', async () => {
    const lease = await makeLease([1]);
    running.hang(lease, { item: 1, since: 0, reason: new Error('drain'), isReleased: true });
    expect([running.return(1, lease), running.has(1), running.hung]).toEqual([false, false, []]);
  });

  it('given leases, when they are aborted, then the signal of each says why', async () => {
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
