import { describe, expect, it } from 'vitest';
import { cronWords } from './cron-words.js';

describe('a cron in words', () => {
  it.each([
    ['0 0 2 * * ?', 'At 02:00'],
    ['0 0/5 * * * ?', 'Every 5 minutes'],
    ['0 0 6 L * ?', 'At 06:00, on the last day of the month'],
  ])('%s is: %s', async (cron, words) => {
    expect(await cronWords(cron, 'en')).toBe(words);
  });

  it('counts days as Quartz does, from Sunday', async () => {
    expect(await cronWords('0 0 6 ? * 2-6', 'en')).toBe('At 06:00, Monday through Friday');
    expect(await cronWords('0 0 6 ? * 6#3', 'en')).toBe('At 06:00, on the third Friday of the month');
  });

  it('is Chinese where the page is', async () => {
    expect(await cronWords('0 0 6 ? * MON', 'zh')).toBe('在06:00, 仅星期一');
    expect(await cronWords('0 0 2 * * ?', 'en')).toBe('At 02:00');
  });

  it.each(['at night', '0 61 * * * ?', '0 0/40 * * * ?', '0 0 0/7 * * ?'])('has none for %s', async (cron) => {
    expect(await cronWords(cron, 'en')).toBeUndefined();
  });
});
