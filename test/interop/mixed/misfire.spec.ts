import { describe, expect, it } from 'vitest';
import { JOB, jobSpec, ORDERS, RELEASES, useInterop, whyNot } from '../support/index.js';

const TOTAL = 2;
const SPEC = jobSpec({ shardingTotalCount: TOTAL });

describe.skipIf(whyNot()).each(RELEASES)('misfires beside ElasticJob %s', (release) => {
  const stage = useInterop(release);

  it.each(ORDERS)(
    'given both kinds in a job, when an item of $first overruns, then it alone is marked, and made up for at its end',
    async (order) => {
      const { journal } = stage();
      const witness = await stage().witness();
      const [slow, quick] = await stage().pair(order);
      await stage().startInTurn(witness, SPEC, [slow, quick]);
      const item = witness.owners(TOTAL).indexOf(slow.ip);
      const other = witness.owners(TOTAL).indexOf(quick.ip);

      await slow.behave(JOB, { kind: 'block' });
      await journal.until('it is marked', () => witness.has(`sharding/${item}/misfire`));

      expect(witness.has(`sharding/${other}/misfire`)).toBe(false);
      await journal.untilAllRun([other]);
      await slow.behave(JOB, { kind: 'end' });
      const blocked = journal.mark;
      await slow.release(JOB);
      await journal.until('it is made up for', () => journal.begun(slow.name, blocked).length > 0);
      await journal.until('the mark is gone', () => !witness.has(`sharding/${item}/misfire`));
      // Java does not tell its handlers why they run.
      const source = slow.kind === 'node' ? 'MISFIRE' : undefined;
      expect(journal.begun(slow.name, blocked)[0]?.context?.source).toBe(source);
    },
  );

  it.each(ORDERS)(
    'given an overrun item of $first, when its instance is killed, then the other kind owns it and clears the mark',
    async (order) => {
      const { journal } = stage();
      const witness = await stage().witness();
      const [slow, quick] = await stage().pair(order);
      await stage().startInTurn(witness, SPEC, [slow, quick]);
      const item = witness.owners(TOTAL).indexOf(slow.ip);
      await slow.behave(JOB, { kind: 'block' });
      await journal.until('it is marked', () => witness.has(`sharding/${item}/misfire`));

      await slow.kill();

      await journal.until('the other owns it', () => witness.isSharedBy([quick], TOTAL));
      await journal.until('the mark is gone', () => !witness.has(`sharding/${item}/misfire`));
      await journal.untilAllRun([0, 1]);
      expect(witness.children('sharding/0').concat(witness.children('sharding/1'))).not.toContain('misfire');
    },
  );
});
