import { describe, expect, it } from 'vitest';
import {
  type InteropStage,
  JOB,
  jobSpec,
  NEVER,
  ORDERS,
  type Peer,
  RELEASES,
  type TreeWitness,
  useInterop,
  whyNot,
} from '../support/index.js';

const TOTAL = 4;
const ITEMS = [...Array(TOTAL).keys()];
/** Some periods of a job of every second. */
const A_WHILE_MS = 3_000;

describe.skipIf(whyNot()).each(RELEASES)("operating a job by ElasticJob %s's lifecycle API", (release) => {
  const stage = useInterop(release);

  it.each(ORDERS)('rests a disabled item until it is enabled, on both kinds, $first leading', async (order) => {
    const { journal, console, witness } = await shared(stage(), order);
    const owners = witness.owners(TOTAL);
    for (const item of ITEMS) {
      await console.console('ShardingOperateAPI', 'disable', JOB, String(item));
      await journal.ceases(`item ${item} rests`, (event) => event.event === 'begun' && event.item === item, A_WHILE_MS);
      await journal.untilAllRun(ITEMS.filter((each) => each !== item));
      await console.console('ShardingOperateAPI', 'enable', JOB, String(item));
      await journal.untilAllRun([item]);
    }
    expect(witness.owners(TOTAL)).toEqual(owners);
  });

  it.each(ORDERS)('gives all items to the other kind while a server is disabled, $first leading', async (order) => {
    const { journal, console, peers, witness } = await shared(stage(), order);
    for (const peer of peers) {
      const other = peers.find((each) => each !== peer)!;
      await console.console('JobOperateAPI', 'disable', JOB, peer.ip);
      await journal.until(
        'the other owns all',
        () => witness.isSettled() && witness.owners(TOTAL).every((ip) => ip === other.ip),
      );
      // In the fire time of the change, the former owner may begin a moment later.
      await journal.ceases(
        'the disabled rests',
        (event) => event.event === 'begun' && event.peer === peer.name,
        A_WHILE_MS,
      );
      await console.console('JobOperateAPI', 'enable', JOB, peer.ip);
      await journal.until('both share the job', () => witness.isSharedBy(peers, TOTAL));
      await journal.untilAllRun(ITEMS);
    }
    expect(statuses({ peers, witness })).toEqual(['ENABLED', 'ENABLED']);
  });

  it.each(ORDERS)('runs nothing on both kinds while the job is disabled, $first leading', async (order) => {
    const { journal, console, peers, witness } = await shared(stage(), order);

    await console.console('JobOperateAPI', 'disable', JOB, null);

    await journal.ceases('nothing runs', ({ event }) => event === 'begun', A_WHILE_MS);
    expect(statuses({ peers, witness })).toEqual(['DISABLED', 'DISABLED']);
    await console.console('JobOperateAPI', 'enable', JOB, null);
    await journal.untilAllRun(ITEMS);
    await journal.until('both share the job', () => witness.isSharedBy(peers, TOTAL));
  });

  it.each(ORDERS)(
    'runs items twice for two triggers of a resting job, $first leading, and keeps the schedule',
    async (order) => {
      const { journal, console, witness } = await shared(stage(), order, { cron: NEVER });
      for (const round of [1, 2]) {
        await console.console('JobOperateAPI', 'trigger', JOB);
        await journal.until(`round ${round}`, () => journal.begun().length === round * TOTAL);
        await witness.sync();
        await journal.until('rest', () => witness.isAtRest() && witness.children('trigger').length === 0);
      }
      await journal.stays('nothing more', ({ event }) => event === 'begun', A_WHILE_MS);
      for (const item of ITEMS) expect(journal.begun().filter((run) => run.item === item)).toHaveLength(2);
      expect(witness.text('config')).toContain(NEVER);
    },
  );

  it.each(ORDERS)('makes both kinds, $first leading, follow an edit by Java and one by ours', async (order) => {
    const { journal, console, peers, witness } = await shared(stage(), order);
    const ours = await stage().node();
    await ours.start(jobSpec());
    const all = [...peers, ours];
    await journal.until('three share the job', () => witness.isSharedBy(all, TOTAL));

    await console.edit(JOB, { shardingTotalCount: 6, jobParameter: 'from Java' });

    await journal.until('six items are shared', () => witness.isSharedBy(all, 6));
    await journal.untilAllRun([0, 1, 2, 3, 4, 5]);

    await ours.edit(JOB, { shardingTotalCount: 3, jobParameter: 'from ours' });

    await journal.until('three items are shared', () => witness.isSharedBy(all, 3));
    await journal.until('the surplus is gone', () => witness.children('sharding').length === 3);
    await journal.untilAllRun([0, 1, 2]);
    const stored = await console.console('JobConfigurationAPI', 'getJobConfiguration', JOB);
    expect(stored).toMatchObject({ shardingTotalCount: 3, jobParameter: 'from ours' });

    await console.edit(JOB, { cron: NEVER });

    await journal.ceases('nothing runs', ({ event }) => event === 'begun', A_WHILE_MS);
  });
});

interface Shared extends Pick<InteropStage, 'journal'> {
  readonly console: Awaited<ReturnType<InteropStage['java']>>;
  readonly peers: readonly Peer[];
  readonly witness: TreeWitness;
}

async function shared(
  stage: InteropStage,
  order: (typeof ORDERS)[number],
  { cron = jobSpec().cron }: { readonly cron?: string | undefined } = {},
): Promise<Shared> {
  const witness = await stage.witness();
  const console = await stage.java();
  const peers = await stage.pair(order);
  const spec = jobSpec({ ...(cron !== undefined && { cron }), shardingTotalCount: TOTAL });
  if (cron === NEVER) await stage.startAtRest(witness, spec, peers);
  else await stage.startInTurn(witness, spec, peers);
  return { journal: stage.journal, console, peers, witness };
}

function statuses({ peers, witness }: Pick<Shared, 'peers' | 'witness'>): readonly (string | undefined)[] {
  return peers.map(({ ip }) => witness.text(`servers/${ip}`));
}
