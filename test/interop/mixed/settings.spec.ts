import { describe, expect, it } from 'vitest';
import { jobSpec, RELEASES, useInterop, whyNot } from '../support/index.js';

const TOLD = ['configuration-differs', 'warning'];

describe.skipIf(whyNot()).each(RELEASES)('settings of a job that ElasticJob %s has created', (release) => {
  const stage = useInterop(release);

  it('are no difference and no warning to one of ours with the same settings', async () => {
    const { journal } = stage();
    const witness = await stage().witness();
    const [java, node] = await Promise.all([stage().java(), stage().node()]);
    const spec = jobSpec({ failover: true, shardingItemParameters: '0=a,1=b' });

    await stage().startInTurn(witness, spec, [java, node]);
    await journal.until('ours runs items', () => journal.begun(node.name).length > 0);

    expect(journal.events.filter(({ kind = '' }) => TOLD.includes(kind))).toEqual([]);
  });
});
