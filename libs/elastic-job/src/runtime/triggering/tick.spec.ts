import { expect, it } from 'vitest';
import { LatestTick } from './tick.js';

it('begins one fire time at a time, and only the latest of those that come meanwhile', async () => {
  const latest = new LatestTick();
  const begun: number[] = [];
  let end = (): void => {};
  const tick = (fireTime: number): Promise<string | undefined> =>
    latest.begin(
      async () => {
        begun.push(fireTime);
        await new Promise<void>((resolve) => (end = resolve));
        return `lease ${fireTime}`;
      },
      () => void tick(fireTime),
    );

  const first = tick(1);
  expect(await Promise.all([tick(2), tick(3)])).toEqual([undefined, undefined]);
  expect(begun).toEqual([1]);
  end();

  expect(await first).toBe('lease 1');
  expect(begun).toEqual([1, 3]);
  end();
});
