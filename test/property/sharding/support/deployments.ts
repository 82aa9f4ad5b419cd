import type { SeededRandom } from '../../schedule/random-cron.js';

/** Ids of one deployment: neighbouring addresses with equal process ids, or processes of one host. */
export function idsOf(random: SeededRandom, count: number): string[] {
  const host = `10.${random.whole(0, 255)}.${random.whole(0, 255)}`;
  const first = random.whole(1, 200);
  const pid = random.whole(1, 60_000);
  const isOneHost = random.whole(0, 1) === 0;
  return Array.from({ length: count }, (_, i) => {
    const session = random.whole(0, 2 ** 31 - 1).toString(16);
    return isOneHost ? `${host}.${first}@-@${pid + i}-${session}` : `${host}.${first + i}@-@1-${session}`;
  });
}

export function wordOf(random: SeededRandom): string {
  const letters = Array.from({ length: random.whole(3, 12) }, () => String.fromCharCode(97 + random.whole(0, 25)));
  return letters.join('');
}
