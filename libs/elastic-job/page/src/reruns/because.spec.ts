import { describe, expect, it } from 'vitest';
import { reruns as en } from '../text/en/reruns.js';
import { reruns as zh } from '../text/zh/reruns.js';
import { becauseIn, lacksFireTime } from './because.js';

const NO_TIME = 'Set anyTime to run it for 2026-11-22T02:01:00.000Z all the same.';
/** As `operations/rerun-preview.ts` and `operations/rerun.errors.ts` write them. */
const SENTENCES = [
  'item 3 is free',
  'item 3 is disabled',
  'item 3 has no instance',
  'server 10.0.3.13 is disabled',
  'a release that has no re-runs is still there: 10.0.3.11@-@7',
  'it follows 2026-11-22T02:00:00.000Z of the same re-run',
  'it follows re-run 01jd8',
  'item 3 still runs on 10.0.3.13@-@7',
  'item 3 has yet to be taken over from an instance that is gone',
  'a missed fire time of item 3 goes first',
  'Job "settle" has a Java instance (10.0.3.9@-@1), and so no re-runs; ask again once it has left.',
  'Job "settle" is resident: its items run at all times, so no fire time can run again.',
  'Job "settle" has monitorExecution: false, and so no re-runs; set it to true, or trigger the job.',
  'Job "settle" has 16 open re-runs with 32 targets, and 1 more were asked for; it can have 16 with 10000. Wait.',
  `Job "settle" has no fire time 2026-11-22T02:01:00.000Z: before it comes 2026-11-22T02:00:00.000Z. ${NO_TIME}`,
  `Job "settle" has no schedule of its own. ${NO_TIME}`,
];

describe('the reason of a target', () => {
  it.each(SENTENCES)('is told in both languages: %s', (because) => {
    expect(becauseIn(because, en.because)).toBe(because);
    expect(becauseIn(because, zh.because)).toMatch(/\p{Script=Han}/u);
    expect(becauseIn(because, zh.because)).not.toMatch(/[a-z]+ [a-z]+/);
  });

  it('is the sentence of the console where it says something new', () => {
    expect(becauseIn('the moon is full', zh.because)).toBe('the moon is full');
  });

  it('says if another time would do', () => {
    expect(SENTENCES.filter(lacksFireTime)).toHaveLength(2);
  });
});
