import { describe, expect, it } from 'vitest';
import { eventLine } from './event-lines.js';

const ITEMS = Array.from({ length: 10_000 }, (_, item) => item);
const assignment = new Map(ITEMS.map((item) => [item, item % 2 === 0 ? '10.0.0.1@-@1' : '10.0.0.2@-@1']));

describe('lines of the log', () => {
  it('name at most 100 items of an instance, and the number of others', () => {
    const { text } = eventLine({ kind: 'orphaned', jobName: 'settle', items: ITEMS });
    const resharded = eventLine({ kind: 'resharded', jobName: 'settle', assignment });

    expect(text).toMatch(/^settle: items 0,1,2,.*,99 and 9900 others of a crashed instance/);
    expect(resharded.text).toMatch(/10\.0\.0\.1@-@1: 0,2,.*,198 and 4900 others; 10\.0\.0\.2@-@1: 1,3/);
    expect(resharded.text.length).toBeLessThan(1_000);
  });

  it('name no newer run as the only reason of a fenced item, since a removal of its job fences as well', () => {
    const { text } = eventLine({
      kind: 'settled',
      trigger: { jobName: 'settle', fireTime: 0, origin: 'schedule', source: 'NORMAL_TRIGGER' },
      taskId: 'settle@-@3',
      item: 3,
      outcome: { kind: 'fenced' },
      durationMs: 7,
    });

    expect(text).toBe(
      'settle: item 3 fenced after 7 ms: its lease is over; ' +
        'another run has the item, the session has ended or the job was removed',
    );
  });

  it.each([
    ['cron', 'edit it there, or set overwrite: true here'],
    [
      'disabled',
      'edit it there, or set overwrite: true here; servers that exist keep their state all the same: ' +
        'JobOperateApi.enable and disable change it',
    ],
  ])('name the remedy of a setting that the registry overrules: %s', (field, remedy) => {
    const differences = [`${field}: 1 here, 2 in the registry`];
    const told = { differences, agreed: [], total: 1, count: 1 } as const;
    const event = { ...told, edited: false, isRefused: false, overwrite: false };

    expect(eventLine({ kind: 'configuration-differs', jobName: 'settle', ...event })).toEqual({
      level: 'warn',
      text: `settle: the registry overrules, ${differences[0]}; ${remedy}`,
    });
  });

  it('name all of up to 100 items', () => {
    const { text } = eventLine({ kind: 'orphaned', jobName: 'settle', items: ITEMS.slice(0, 100) });

    expect(text).toContain('98,99 of a crashed instance');
  });

  it('tell of work without an answer in one warning without a stack, by job', () => {
    const counts = new Map([
      ['settle', 2],
      ['', 1],
    ]);

    expect(eventLine({ kind: 'unanswered', counts, error: new Error('no answer in 5 s') })).toEqual({
      level: 'warn',
      text: 'registry: no answer to 3 triggers or other work (settle 2, no single job 1): no answer in 5 s',
    });
  });
});
