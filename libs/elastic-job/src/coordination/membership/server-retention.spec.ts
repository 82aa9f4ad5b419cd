import { beforeEach, describe, expect, it } from 'vitest';
import { beforeNextTransaction, JOB, type Member, Registry } from '@test/support/unit/member.js';
import type { Operation, RegistryCenter } from '../../registry/index.js';
import { formatInstance } from '../job-tree/index.js';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

let registry: Registry;
let operator: RegistryCenter;
let leader: Member;
beforeEach(async () => {
  registry = new Registry();
  operator = await registry.operator();
});

describe('servers whose last instance has gone', () => {
  it('are forgotten after a day, and not before', async () => {
    await start();
    const gone = await registry.joined();
    await gone.instances.leave(gone.tree);
    await leaderTidies();

    await registry.clock.advance(DAY - 1);
    await leaderTidies();
    expect(leader.tree.servers()).toContain(gone.self.serverIp);
    await registry.clock.advance(1);
    await leaderTidies();

    await leader.tree.sync();
    expect(leader.tree.servers()).toEqual([leader.self.serverIp]);
    expect(leader.tree.departures()).toEqual([]);
  });

  it('stay known for one more day even if the instance ran for days', async () => {
    await start();
    const old = await registry.joined();
    await registry.clock.advance(3 * DAY);
    await old.instances.leave(old.tree);

    await leaderTidies();
    await registry.clock.advance(DAY - 1);
    await leaderTidies();

    expect(leader.tree.servers()).toContain(old.self.serverIp);
  });

  it('are forgotten after a day even if the leader changes every hour', async () => {
    await start();
    const gone = await registry.joined();
    const serverIp = gone.self.serverIp;
    await gone.instances.leave(gone.tree);

    for (let hour = 0; hour <= 24; hour++) {
      await leaderTidies();
      await changeLeader();
      await registry.clock.advance(60 * MINUTE);
    }

    await leaderTidies();
    expect(leader.tree.servers()).not.toContain(serverIp);
  });

  it('are forgotten after a configured retention time, and never if it is 0', async () => {
    for (const serverRetentionMinutes of [5, 0]) {
      registry = new Registry();
      await start({ serverRetentionMinutes });
      const gone = await registry.joined({ serverRetentionMinutes });
      await gone.instances.leave(gone.tree);
      await leaderTidies();
      await registry.clock.advance(serverRetentionMinutes === 0 ? 1_000 * DAY : 5 * MINUTE);

      await leaderTidies();

      await leader.tree.sync();
      expect(leader.tree.servers().includes(gone.self.serverIp)).toBe(serverRetentionMinutes === 0);
    }
  });

  it('are kept for another full day if an instance comes back and leaves again', async () => {
    await start();
    const address = { serverIp: '10.0.0.9' };
    const first = await registry.joined({}, address);
    await first.instances.leave(first.tree);
    await leaderTidies();
    await registry.clock.advance(DAY - MINUTE);

    const second = await registry.joined({}, address);
    expect(second.tree.departures()).toEqual([]);
    await second.instances.leave(second.tree);
    await leaderTidies();
    await registry.clock.advance(2 * MINUTE);
    await leaderTidies();

    expect(leader.tree.servers()).toContain('10.0.0.9');
  });

  it('fault 13: stay disabled even after a year', async () => {
    await start();
    const gone = await registry.joined();
    const path = gone.tree.paths.server(gone.self.serverIp);
    await gone.instances.leave(gone.tree);
    await leaderTidies();
    await operator.set(path, 'DISABLED');

    await registry.clock.advance(365 * DAY);
    await leaderTidies();

    expect((await operator.read(path))?.data).toBe('DISABLED');
  });

  it('are not removed if they are disabled during the removal', async () => {
    const { path } = await startWithExpired();
    await leader.tree.sync();
    beforeNextTransaction(leader, () => operator.set(path, 'DISABLED'));

    await leader.retention.tidy(leader.tree, leader.leader.term(JOB)!);

    expect((await operator.read(path))?.data).toBe('DISABLED');
  });

  it('leave no departure behind if they are removed by hand', async () => {
    const { path } = await startWithExpired();
    await operator.delete(path);

    await leaderTidies();

    await leader.tree.sync();
    expect(leader.tree.departures()).toEqual([]);
  });

  it('cost no request if there is nothing to do', async () => {
    await start();
    const gone = await registry.joined();
    await gone.instances.leave(gone.tree);
    await leaderTidies();
    await leaderTidies();
    const { foreground } = leader.center.traffic;

    await leader.retention.tidy(leader.tree, leader.leader.term(JOB)!);

    expect(leader.center.traffic.foreground).toBe(foreground);
  });
});

describe('fault 1: an instance that starts while its server is being removed', () => {
  it('has its server again if that was removed before it registers', async () => {
    const { serverIp } = await startWithExpired();
    const starting = await registry.member({}, { serverIp });
    await starting.configurations.install(starting.tree);
    beforeNextTransaction(starting, leaderTidies);

    await starting.instances.join(starting.tree, { isDisabled: () => false });

    await starting.tree.sync();
    expect(starting.tree.serverStatus(serverIp)).toBe('ENABLED');
    expect(starting.tree.hasInstance(starting.id)).toBe(true);
  });

  it('keeps its server if it registers before the removal', async () => {
    const { serverIp } = await startWithExpired();
    await leader.tree.sync();
    beforeNextTransaction(leader, () => registry.joined({}, { serverIp }));

    await leader.retention.tidy(leader.tree, leader.leader.term(JOB)!);

    await leader.tree.sync();
    expect(leader.tree.serverStatus(serverIp)).toBe('ENABLED');
  });

  it('a server without instances is left alone while a Java peer is registered', async () => {
    const { serverIp } = await startWithExpired();
    const java = '10.0.0.99@-@1';
    await operator.create(leader.tree.paths.server('10.0.0.99'), 'ENABLED', 'PERSISTENT');
    await operator.create(
      leader.tree.paths.instance(java),
      `jobInstanceId: ${java}\nserverIp: 10.0.0.99\n`,
      'EPHEMERAL',
    );

    await leaderTidies();
    await leader.tree.sync();
    expect(leader.tree.servers()).toContain(serverIp);
    await operator.delete(leader.tree.paths.instance(java));
    await leaderTidies();

    await leader.tree.sync();
    expect(leader.tree.servers()).not.toContain(serverIp);
  });
});

describe('10,000 restarts of pods', () => {
  it('leave only live and retained servers known', async () => {
    await start();
    let most = 0;
    for (let hour = 0; hour < 200; hour++) {
      const addresses = Array.from({ length: 50 }, (_, pod) => `10.1.${hour}.${pod}`);
      await operator.transaction(addresses.flatMap(podOperations));
      await registry.clock.advance(60 * MINUTE);
      await operator.transaction(addresses.map((ip) => ({ kind: 'delete', path: podPath(ip) })));
      if (hour % 5 === 4) await changeLeader();
      await leaderTidies();
      most = Math.max(most, leader.tree.servers().length);
    }

    // Pods of 24 hours, those of the hour that has just ended, and the leaders.
    expect(most).toBeLessThanOrEqual(25 * 50 + 7);
    await registry.clock.advance(DAY);
    await leaderTidies();
    await leader.tree.sync();
    expect(leader.tree.servers()).toEqual([leader.self.serverIp]);
  }, 30_000);

  it('leave no server behind even if the removals do not fit into one request', async () => {
    await start();
    Object.assign(leader.center, { maxRequestBytes: 2_000 });
    for (let pod = 0; pod < 100; pod++) {
      await operator.create(leader.tree.paths.server(`10.0.1.${pod}`), 'ENABLED', 'PERSISTENT');
    }

    await leaderTidies();
    await registry.clock.advance(DAY);
    await leaderTidies();

    await leader.tree.sync();
    expect(leader.tree.servers()).toEqual([leader.self.serverIp]);
    expect(leader.tree.departures()).toEqual([]);
  });
});

function podPath(serverIp: string): string {
  return leader.tree.paths.instance(`${serverIp}@-@1`);
}

/** Operations of a starting pod with its own address. */
function podOperations(serverIp: string): Operation[] {
  const data = formatInstance({ jobInstanceId: `${serverIp}@-@1`, serverIp });
  return [
    { kind: 'create', path: leader.tree.paths.server(serverIp), data: 'ENABLED', mode: 'PERSISTENT' },
    { kind: 'create', path: podPath(serverIp), data, mode: 'EPHEMERAL' },
  ];
}

async function changeLeader(): Promise<void> {
  const next = await registry.joined();
  leader.die();
  leader = next;
  await leader.lead();
}

async function start(options?: Parameters<Registry['joined']>[0]): Promise<void> {
  leader = await registry.joined(options);
  await leader.lead();
}

/** Tidies after a sync, as the leader's duties do. */
async function leaderTidies(): Promise<void> {
  await leader.tree.sync();
  await leader.retention.tidy(leader.tree, leader.leader.term(JOB)!);
}

/** A leader, and a server that it may remove next. */
async function startWithExpired(): Promise<{ readonly serverIp: string; readonly path: string }> {
  await start();
  const gone = await registry.joined();
  await gone.instances.leave(gone.tree);
  await leaderTidies();
  await registry.clock.advance(DAY);
  return { serverIp: gone.self.serverIp, path: gone.tree.paths.server(gone.self.serverIp) };
}
