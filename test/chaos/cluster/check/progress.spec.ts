import { describe, expect, it } from 'vitest';
import { inexact } from './index.js';
import { fault, historyOf, owned, rulesOf, run, runsBut, TO } from './made-history.js';

describe('progress and exactness', () => {
  it('calls a job standing still if it does not fire within a period after the last fault', () => {
    const runs = runsBut(13_000, 14_000, 15_000, 16_000, 17_000, 18_000);
    const history = historyOf(runs, { faults: [fault({ from: 11_500, to: 12_500 })], sights: [owned('a')] });
    expect(rulesOf(history)).toContain(`no progress ${TO}`);
  });

  it('reports a target without a run, or with two, during a planned restart', () => {
    const rescue = run(5_000, { begunAt: 5_500, source: 'FAILOVER' });
    const found = inexact(historyOf([...runsBut(7_000), rescue]), { from: 2_000, to: 9_000 });
    expect(found.map(({ rule, at }) => `${rule} ${at}`)).toEqual(['doubled 5000', 'missed 7000']);
  });
});
