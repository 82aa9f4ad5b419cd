import { afterEach, describe, expect, it } from 'vitest';
import { formatTriggerRequest } from '../../libs/elastic-job/src/coordination/index.js';
import { range } from './support/run-checks.js';
import { idOf } from './support/operators.js';
import { JOB, MINUTE, TriggeredJob } from './support/triggered-job.js';

let job: TriggeredJob;
afterEach(() => job.stop());

describe('a trigger whose instance dies before it has taken it', () => {
  it('is told by the leader, with its id and parameters, and leaves no node behind', async () => {
    job = await TriggeredJob.start({ instances: 3 });
    const victim = idOf(job.cluster, 2);
    job.cluster.crash(2);
    await job.ask({ id: 'a', parameters: 'for customer 7' });
    await job.advance(MINUTE);

    expect(skippedBy()).toEqual([`manual:a for customer 7: its instance is gone: ${victim}`]);
    expect(await job.operator.children(`/${JOB}/trigger`)).toEqual([]);
  });

  it('is told once, though its leader dies as well', async () => {
    job = await TriggeredJob.start({ instances: 3 });
    const [leader, victim] = [idOf(job.cluster, 0), idOf(job.cluster, 1)];
    for (const index of [0, 1]) job.cluster.crash(index);
    await job.ask({ id: 'a' });
    await job.advance(MINUTE);

    const told = [leader, victim].map((id) => `manual:a undefined: its instance is gone: ${id}`);
    expect(skippedBy().toSorted()).toEqual(told.toSorted());
    expect(await job.operator.children(`/${JOB}/trigger`)).toEqual([]);
  });

  it('is told if it was asked of an instance that is gone already', async () => {
    job = await TriggeredJob.start({ instances: 2 });
    const gone = idOf(job.cluster, 1);
    await job.cluster.leave(1);
    await job.operator.ensurePath(`/${JOB}/trigger`);
    const text = formatTriggerRequest({ id: 'late', parameters: undefined });
    await job.operator.create(`/${JOB}/trigger/${gone}`, text, 'PERSISTENT');
    await job.advance(1_000);

    expect(skippedBy()).toEqual([`manual:late undefined: its instance is gone: ${gone}`]);
  });
});

it('a trigger is told of though its session ends before the answer to its removal has come', async () => {
  job = await TriggeredJob.start({ instances: 1 });
  const { registry } = job.cluster;
  const { id } = job.cluster.instances[0]!.runtime.status().session;
  await job.ask({ id: 'a' });
  await job.advance(5); // The news of it has half of the way behind it.
  registry.loseNextReply(id!);
  registry.expire(id!);
  await job.advance(MINUTE);

  expect([...skippedBy(), ...job.origins(0)]).toHaveLength(1);
});

/** Triggers that were skipped, with their parameters and the reasons, by any instance. */
function skippedBy(): string[] {
  const events = range(job.cluster.instances.length).flatMap((index) => job.events(index));
  return events.flatMap((event) =>
    event.kind === 'skipped' ? [`${event.trigger.origin} ${event.trigger.parameters}: ${event.reason}`] : [],
  );
}
