import { describe, expect, it } from 'vitest';
import { startEnsemble } from '@test/support/faults/index.js';
import { EACH, useStage } from './stage.js';

const ROUNDS = 1_500;
const stage = useStage();

describe('a sync on an ensemble', EACH, () => {
  // A leader applies what it commits a moment after the followers may have shown it.
  it.each([
    ['leader', 'follower'],
    ['follower', 'leader'],
  ] as const)(
    `shows a view on the %s, once synced, each of ${ROUNDS} writes that were made on the %s`,
    async (reading, writing) => {
      const ensemble = await stage().add(startEnsemble());
      const servers = { leader: await ensemble.leader(), follower: await ensemble.follower() };
      const options = { sessionTimeoutMs: 10_000, requestTimeoutMs: 10_000 };
      const reader = await stage().client({ ...options, servers: servers[reading].connect });
      const writer = await stage().client({ ...options, servers: servers[writing].connect });
      await writer.create('/a', '', 'PERSISTENT');
      const view = await reader.openSubtree('/a', () => {});
      let stale = 0;
      for (let n = 0; n < ROUNDS; n += 1) {
        const noise = [writer.set('/a', 'before'), writer.set('/a', 'before')];
        await writer.set('/a', String(n));
        await view.sync();
        if (view.node('/a')?.data !== String(n)) stale += 1;
        await Promise.all(noise);
      }
      expect(stale).toBe(0);
    },
  );
});
