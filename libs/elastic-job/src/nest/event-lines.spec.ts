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

  it('name all of up to 100 items', () => {
    const { text } = eventLine({ kind: 'orphaned', jobName: 'settle', items: ITEMS.slice(0, 100) });

    expect(text).toContain('98,99 of a crashed instance');
  });
});
