import { describe, expect, it } from 'vitest';
import { JOB, jobSpec, NEVER, ORDERS, RELEASES, useInterop, whyNot } from '../support/index.js';

// One item each, because a Java survivor of several crashed items runs some of them once more (fault 4).
const SPEC = jobSpec({ cron: NEVER, failover: true, shardingTotalCount: 2 });
const ITEMS = [0, 1];
const MARKS = ['running', 'failover', 'failovering'];

describe.skipIf(whyNot()).each(RELEASES)('failover beside ElasticJob %s', (release) => {
  const stage = useInterop(release);

  it.each(ORDERS)(
    'runs the item of a killed $first instance once more on the other kind when its session ends',
    async (order) => {
      const { journal } = stage();
      const witness = await stage().witness();
      const console = await stage().java();
      const [victim, survivor] = await stage().pair(order);
      await victim.behave(JOB, { kind: 'block' });
      await stage().startAtRest(witness, SPEC, [victim, survivor]);
      await stage().fireOnce(console);
      await journal.until(
        'both have begun',
        () => journal.begun(victim.name).length + journal.begun(survivor.name).length === 2,
      );
      const item = journal.begun(victim.name)[0]?.item;
      expect(journal.begun(victim.name)).toHaveLength(1);

      await victim.kill();

      await journal.until('the survivor runs it', () => journal.begun(survivor.name).some((run) => run.item === item));
      await witness.sync();
      await journal.until('no mark is left', () =>
        ITEMS.every((each) => MARKS.every((mark) => !witness.has(`sharding/${each}/${mark}`))),
      );
      await journal.stays('nothing runs again', ({ event }) => event === 'begun', 3_000);
      const runs = journal.begun(survivor.name);
      expect(runs).toHaveLength(ITEMS.length);
      expect(new Set(runs.map((run) => run.item))).toEqual(new Set(ITEMS));
      // Java does not tell its handlers why they run.
      expect(runs.at(-1)?.context?.source).toBe(survivor.kind === 'node' ? 'FAILOVER' : undefined);
      expect(witness.children('leader/failover/items')).toEqual([]);
    },
  );

  it.each(ORDERS)(
    'fault 8: the other kind rescues the item when a $first rescuer is killed in the rescue',
    async ({ first, second }) => {
      const { journal } = stage();
      const witness = await stage().witness();
      const console = await stage().java();
      const [victim, last] = await stage().pair({ first: second, second });
      const rescuer = await stage().peer(first);
      const spec = { ...SPEC, shardingTotalCount: 1 };
      for (const peer of [rescuer, victim]) await peer.behave(JOB, { kind: 'block' });
      await victim.start(spec);
      await stage().fireOnce(console);
      await journal.until('the victim runs it', () => journal.begun(victim.name).length === 1);
      await rescuer.start(spec);
      await victim.kill();
      await journal.until('the rescuer runs it', () => journal.begun(rescuer.name).length === 1);
      await last.start(spec);

      await rescuer.kill();

      await journal.until('the last runs it', () => journal.begun(last.name).length === 1);
      await witness.sync();
      await journal.until('no mark is left', () => MARKS.every((mark) => !witness.has(`sharding/0/${mark}`)));
      expect(journal.begun(last.name)).toMatchObject([{ item: 0 }]);
    },
  );
});
