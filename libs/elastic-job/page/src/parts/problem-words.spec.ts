import { describe, expect, it } from 'vitest';
import { PROBLEM_CODES } from '../../../src/console/contract/problem-answers.js';
import { en } from '../text/en/index.js';
import { zh } from '../text/zh/index.js';
import { wordsOf } from './problem-words.js';

const DETAIL = 'The sentence of the console.';

describe('words for a problem', () => {
  it.each(PROBLEM_CODES)('are there in both languages for %s', (code) => {
    const { sentence, words = sentence } = wordsOf({ code, detail: DETAIL, role: 'admin' }, en);
    expect(words).toMatch(/^[A-Z].*\.$/);
    expect(wordsOf({ code, detail: DETAIL, role: 'admin' }, zh).words).toMatch(/\p{Script=Han}.*。$/u);
  });

  it('name what the problem has beside its code', () => {
    const told = { code: 'FORBIDDEN', detail: DETAIL, role: 'admin', instances: ['a', 'b'] } as const;
    expect(wordsOf(told, en).words).toMatch(/ It needs the role admin\. Instances: a, b\.$/);
    expect(wordsOf(told, zh).words).toMatch(/。需要角色：管理员。实例：a, b。$/);
    expect(wordsOf({ code: 'UNKNOWN_ITEM', detail: DETAIL, items: [0, 1, 2] }, zh).words).toContain('0–2');
  });

  it('name the option that would allow it, once', () => {
    const told = { code: 'HOST_NOT_ALLOWED', detail: DETAIL, option: 'hosts' };
    expect(wordsOf(told, zh).words?.match(/hosts/g)).toHaveLength(1);
    expect(wordsOf({ ...told, option: 'auth' }, zh).words).toContain('相关选项：auth。');
  });

  it('stand beside the own sentence of the console where that alone names what is wrong', () => {
    const detail = 'The cron expression "x" is wrong.';
    expect(wordsOf({ code: 'CRON_SYNTAX', detail }, zh)).toEqual({
      words: zh.problems['CRON_SYNTAX'],
      sentence: detail,
    });
    expect(wordsOf({ code: 'CHANGED', detail }, zh).sentence).toBeUndefined();
  });

  it('are no words about a role for a log-in that is refused since it is not encrypted', () => {
    const told = { code: 'FORBIDDEN', detail: 'A log-in needs HTTPS.', option: 'trustProxy' };
    expect(wordsOf(told, zh)).toEqual({ words: undefined, sentence: told.detail });
  });

  it('are the own sentence of the console for a code that the page does not know', () => {
    expect(wordsOf({ code: 'OF_ANOTHER_RELEASE', detail: DETAIL }, zh)).toEqual({ words: undefined, sentence: DETAIL });
  });
});
