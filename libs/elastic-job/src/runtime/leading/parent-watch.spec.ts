import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { formatInstance } from '../../coordination/index.js';
import { Duty, FORMER, JOB } from '@test/support/unit/duties.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const REGISTERED = `/import/dependents/${JOB}`;
const CONFIG = 'jobName: import\ncron: 0 * * * * ?\nshardingTotalCount: 4\nmonitorExecution: ';
const MISSING = [{ jobName: 'import', reason: 'missing' }];
const EMPTY = [{ jobName: 'import', reason: 'no-instance' }];

let duty: Duty;
/** Number of watches for new jobs that are open. */
let watches: number;
/** Called before one is opened. */
let onOpening = () => {};
beforeEach(async () => {
  duty = await Duty.of({ cron: undefined, after: ['import'] });
  countWatches();
});
afterEach(() => duty.end());

describe('the leader of a job that is started after another one', () => {
  it('registers it there as soon as the other one comes, and follows new jobs no more', async () => {
    await duty.start();
    expect([watches, toldParents()]).toMatchObject([1, [MISSING]]);

    await install();

    expect([watches, await duty.text(REGISTERED)]).toEqual([0, '']);
  });

  it('reports another one that has come and cannot be its parent', async () => {
    await duty.start();
    await install('false');
    expect(duty.takeErrors()).toEqual([
      expect.objectContaining({ message: expect.stringContaining('monitorExecution') }),
    ]);
  });

  it('tells of one without instances after two minutes, and once it is back; looks at it each minute', async () => {
    await install();
    await duty.start();
    await duty.clock.advance(2 * MINUTE - SECOND);
    expect(toldParents()).toEqual([]);
    await duty.clock.advance(SECOND);
    expect(toldParents()).toEqual([EMPTY]);

    expect(await requestsOfAMinute()).toBe(2);

    await duty.put(`/import/servers/10.0.0.3`, 'ENABLED');
    const text = formatInstance({ jobInstanceId: FORMER, serverIp: '10.0.0.3' });
    await duty.operator.ensurePath('/import/instances');
    await duty.operator.create(`/import/instances/${FORMER}`, text, 'EPHEMERAL');
    await duty.clock.advance(MINUTE);
    expect(toldParents()).toEqual([EMPTY, []]);
  });

  it('looks at a missing one each minute, and does not try to register at it before it comes', async () => {
    await duty.start();
    expect(await requestsOfAMinute()).toBe(2);
  });

  it('registers it again at one that was removed and has come back', async () => {
    await install();
    await duty.start();
    for (const path of [REGISTERED, '/import/dependents', '/import/config', '/import']) await duty.drop(path);
    await duty.clock.advance(MINUTE);
    expect(toldParents()).toMatchObject([MISSING]);

    await install();

    expect(await duty.text(REGISTERED)).toBe('');
  });

  it('neither looks nor tells any more once it is started after none', async () => {
    await duty.start();
    await duty.edit('props:\n  nestjs.after: import', 'cron: 0 * * * * ?\nprops:');
    await duty.clock.advance(MINUTE);

    expect(await requestsOfAMinute()).toBe(0);
    expect([watches, toldParents()]).toMatchObject([0, [MISSING]]);
  });

  it('looks at none, and tells of none, if it was started after others before', async () => {
    duty.end();
    duty = await Duty.of({});
    countWatches();
    await duty.put(duty.tree.paths.after, '{}');
    await duty.start();
    await duty.clock.advance(3 * MINUTE);
    expect([watches, toldParents()]).toEqual([0, []]);
  });

  it('tells nothing while another one leads, and what it sees itself once it leads again', async () => {
    await install();
    await duty.join(FORMER);
    await duty.start();
    const server = duty.tree.paths.server(duty.tree.self.serverIp);
    await duty.put(server, 'DISABLED');
    await duty.elect(FORMER);
    await duty.clock.advance(5 * MINUTE);
    expect(toldParents()).toEqual([]);

    await duty.put(server, 'ENABLED');
    await duty.drop(duty.tree.paths.leader);
    await duty.clock.advance(MINUTE);
    expect(toldParents()).toEqual([]);
    await duty.clock.advance(MINUTE);
    expect(toldParents()).toEqual([EMPTY]);
  });
});

describe('the leader of a job that is started after another one, once it has left,', () => {
  it('has no timer and no watch', async () => {
    await duty.start();
    duty.duties.stop();
    expect([watches, duty.clock.pendingTimers]).toEqual([0, 0]);
  });

  it('tells nothing of a look that was under way', async () => {
    const { dependencies } = duty.services;
    const findAway = dependencies.findAway.bind(dependencies);
    await install();
    await duty.start();
    await duty.clock.advance(MINUTE);
    vi.spyOn(dependencies, 'findAway').mockImplementation((tree) => {
      duty.duties.stop();
      return findAway(tree);
    });
    await duty.clock.advance(MINUTE);
    expect([toldParents(), duty.clock.pendingTimers]).toEqual([[], 0]);
  });

  it('closes a watch that was being opened', async () => {
    onOpening = () => duty.duties.stop();
    await duty.start();
    expect(watches).toBe(0);
  });
});

function countWatches(): void {
  const { registry } = duty.tree;
  const watchChildren = registry.watchChildren.bind(registry);
  watches = 0;
  onOpening = () => {};
  vi.spyOn(registry, 'watchChildren').mockImplementation(async (...given) => {
    onOpening();
    const watch = await watchChildren(...given);
    watches += 1;
    return {
      close: () => {
        watches -= 1;
        watch.close();
      },
    };
  });
}

/** The other job comes to the registry, without instances. */
async function install(monitorExecution = 'true'): Promise<void> {
  await duty.operator.transaction([
    { kind: 'create', path: '/import', data: '', mode: 'PERSISTENT' },
    { kind: 'create', path: '/import/config', data: CONFIG + monitorExecution, mode: 'PERSISTENT' },
  ]);
  await duty.clock.advance(0);
}

function toldParents() {
  return duty.told('parents-away').map(({ parents }) => parents);
}

async function requestsOfAMinute(): Promise<number> {
  const before = duty.tree.registry.traffic.foreground;
  await duty.clock.advance(MINUTE);
  return duty.tree.registry.traffic.foreground - before;
}
