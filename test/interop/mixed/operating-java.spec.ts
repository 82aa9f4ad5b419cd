import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import { JobOperateApi } from '../../../libs/elastic-job/src/operations/index.js';
import { type InteropStage, JOB, jobSpec, NEVER, RELEASES, useInterop, whyNot } from '../support/index.js';

const TOTAL = 3;
const ITEMS = [...Array(TOTAL).keys()];
/** Some periods of a job of every second. */
const A_WHILE_MS = 2_500;

describe.skipIf(whyNot()).each(RELEASES)('operating a job of ElasticJob %s alone by our API', (release) => {
  const stage = useInterop(release);

  it('keeps a disabled job off on a new server and after a restart, unless Java overwrites', async () => {
    const { journal } = stage();
    const { operate, witness } = await operated(stage());
    const java = await stage().java();
    const spec = jobSpec({ shardingTotalCount: TOTAL });
    await java.start(spec);
    await journal.untilAllRun(ITEMS);
    const javaPeers = [...witness.children('instances')];
    const disabled = () => /^disabled: (\w+)$/m.exec(witness.text('config') ?? '')?.[1];
    const status = (ip: string) => witness.text(`servers/${ip}`);

    await operate.disable(JOB, { newServers: false });
    await java.stopJob(JOB);
    await java.start(spec);
    await journal.untilAllRun(ITEMS);
    const outcome = await operate.disable(JOB);

    expect(outcome).toEqual({ servers: [java.ip], newServers: 'switched', javaPeers, version: expect.any(Number) });
    expect(javaPeers).toHaveLength(1);
    await java.stopJob(JOB);
    const fresh = await stage().java();
    await fresh.start(spec);
    await java.start(spec);
    await witness.sync();
    expect([status(java.ip), status(fresh.ip), disabled()]).toEqual(['DISABLED', 'DISABLED', 'true']);
    await journal.ceases('nothing runs', ({ event }) => event === 'begun', A_WHILE_MS);

    await java.stopJob(JOB);
    await java.start({ ...spec, overwrite: true });

    await journal.untilAllRun(ITEMS);
    await witness.sync();
    expect([status(java.ip), status(fresh.ip), disabled()]).toEqual(['ENABLED', 'DISABLED', 'false']);
    expect(witness.owners(TOTAL)).toEqual(ITEMS.map(() => java.ip));

    expect(await operate.enable(JOB)).toMatchObject({ servers: [fresh.ip], newServers: 'already' });

    await journal.untilAllRun(ITEMS);
    await journal.until('both share the job', () => witness.isSharedBy([java, fresh], TOTAL));
  });

  it('has a new plan made at the next trigger, which gives an item without an owner to an instance', async () => {
    const { journal } = stage();
    const { operate, witness } = await operated(stage());
    const java = await stage().java();
    await stage().startAtRest(witness, jobSpec({ cron: NEVER, shardingTotalCount: TOTAL }), [java]);
    await operate.trigger(JOB);
    await journal.until('each item has run', () => journal.begun().length === TOTAL);
    await witness.sync();
    await journal.until('rest', () => witness.isAtRest() && witness.children('trigger').length === 0);
    await witness.write('sharding/0/instance', '10.9.9.9@-@1');

    expect(await operate.reshard(JOB)).toEqual({ kind: 'requested' });
    expect(await operate.reshard(JOB)).toEqual({ kind: 'pending' });
    await witness.sync();
    expect(witness.awaitsPlanFor([java])).toBe(true);
    await operate.trigger(JOB);

    await journal.until('each item has run again', () => journal.begun().length === 2 * TOTAL);
    await witness.sync();
    expect(witness.owners(TOTAL)).toEqual(ITEMS.map(() => java.ip));
    expect(witness.isSettled()).toBe(true);
  });
});

async function operated(stage: InteropStage) {
  const witness = await stage.witness();
  return { witness, operate: new JobOperateApi(witness.registry, new SystemClock()) };
}
