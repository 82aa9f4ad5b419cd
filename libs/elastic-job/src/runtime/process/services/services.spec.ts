import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LeadershipTerm } from '../../../coordination/index.js';
import { JOB, MINUTE, OneProcess, SERVER } from '@test/support/unit/one-process.js';

let process: OneProcess;
beforeEach(async () => {
  process = await OneProcess.start({ description: 'local' });
});
afterEach(() => process.stop());

const asked = <T>(answer: Promise<T>): Promise<T> => process.clock.advanceUntil(answer);

describe('what an application may ask of a job', () => {
  it('who leads it, for a term that ends as the leader resigns', async () => {
    const { leader } = process.runtime;
    const terms: LeadershipTerm[] = [];
    const following = new AbortController();
    const followed = follow(terms, following.signal);
    await process.advance(MINUTE);

    const first = leader.term(JOB)!;
    expect([leader.isLeader(JOB), leader.leader(JOB)]).toEqual([true, first.instanceId]);
    await asked(leader.resign(JOB));
    expect([first.signal.aborted, leader.isLeader(JOB)]).toEqual([true, false]);

    await process.advance(MINUTE);
    expect(terms.map(({ term }) => term)).toEqual([first.term, first.term + 1]);
    following.abort();
    await followed;
  });

  it('which instances, servers, owners and runs it has', async () => {
    const { executions, instances, servers, sharding } = process.runtime;
    process.work = ({ signal }) => process.clock.sleep(MINUTE / 2, signal);
    await process.advance(MINUTE);

    const [instance] = await asked(instances.instances(JOB));
    expect(instance).toMatchObject({ serverIp: SERVER });
    expect(await asked(servers.servers(JOB))).toEqual([{ serverIp: SERVER, status: 'ENABLED' }]);
    const owner = instance!.jobInstanceId;
    expect([...(await asked(sharding.assignments(JOB))).values()]).toEqual([owner, owner]);
    expect(await asked(executions.running(JOB))).toMatchObject([
      { item: 0, instanceId: owner },
      { item: 1, instanceId: owner },
    ]);
  });

  it('to reshard, and the leader plans anew', async () => {
    await process.advance(MINUTE);
    const plans = () => process.told.filter(({ kind }) => kind === 'resharded').length;
    const before = plans();

    await asked(process.runtime.sharding.requestResharding(JOB));
    await process.advance(MINUTE);

    expect(plans()).toBe(before + 1);
  });

  it('its settings in force, and its local ones', async () => {
    const { configurations } = process.runtime;
    const config = `/${JOB}/config`;
    const { data } = (await asked(process.operator.read(config)))!;
    await asked(process.operator.set(config, data.replace('description: local', 'description: edited')));
    await process.advance(MINUTE);

    expect(configurations.current(JOB).description).toBe('edited');
    expect(configurations.declared(JOB)?.description).toBe('local');
    expect(configurations.declared('nobody')).toBeUndefined();
  });
});

async function follow(terms: LeadershipTerm[], signal: AbortSignal): Promise<void> {
  for await (const term of process.runtime.leader.terms(JOB, signal)) terms.push(term);
}
