import { JOB, MINUTE, OneProcess, SERVER } from '@test/support/unit/one-process.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ExecutionLease, FailoverQueue, LeadershipTerm } from '../../coordination/index.js';
import type { SettledOutcome } from '../../domain/index.js';
import type { JobSession } from '../job/job-session.js';
import { FailoverService } from './services.js';

const SUCCEEDED: SettledOutcome = { kind: 'succeeded' };

let process: OneProcess;
afterEach(() => process.stop());

const asked = <T>(answer: Promise<T>): Promise<T> => process.clock.advanceUntil(answer);

describe('what an application may ask of a job', () => {
  beforeEach(async () => {
    process = await OneProcess.start({ description: 'local' });
  });

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

describe('claims that an application asks for', () => {
  it('runs waiting items to their outcome without a free slot if it is asked to claim', async () => {
    process = await OneProcess.start({ concurrency: 1 });
    await process.advance(MINUTE);
    process.work = (context) => context.shardingItem === 1 && process.hang(context);
    await process.advance(MINUTE);
    await process.queueUnfinished(0);
    process.runs.length = 0;
    await process.advance(100); // Longer than the delay before it claims some by itself.
    const claiming = process.runtime.failover.claim(JOB);
    await process.release();
    const outcomes = await claiming;
    expect([process.runs, [...outcomes]]).toEqual([['0 FAILOVER'], [[0, expect.objectContaining(SUCCEEDED)]]]);
  });

  it('returns the outcomes of all claims that it has won, even if others win one in between', async () => {
    const claims = [leaseOf(1), 'lost', leaseOf(2), 'empty'] as const;
    const answers = [...claims];
    const session: JobSession = Object.assign(Object.create(null), { claim: () => Promise.resolve(answers.shift()) });
    const queue: FailoverQueue = Object.create(null);
    const outcomes = await new FailoverService(queue, () => session).claim(JOB);
    expect([[...outcomes.keys()], answers]).toEqual([[1, 2], []]);
  });
});

async function follow(terms: LeadershipTerm[], signal: AbortSignal): Promise<void> {
  for await (const term of process.runtime.leader.terms(JOB, signal)) terms.push(term);
}

/** A lease whose item has succeeded. */
function leaseOf(item: number): ExecutionLease {
  return Object.assign(Object.create(null), { settled: () => Promise.resolve(new Map([[item, SUCCEEDED]])) });
}
