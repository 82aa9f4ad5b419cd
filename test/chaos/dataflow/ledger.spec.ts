import { describe, expect, it } from 'vitest';
import { Ledger } from './ledger.js';

describe('the check of the report', () => {
  it('accepts one start of each item, and a failover after it', () => {
    const ledger = imported();
    report(ledger, 0, 'NORMAL_TRIGGER');
    report(ledger, 1, 'NORMAL_TRIGGER');
    ledger.kill('a');
    report(ledger, 1, 'FAILOVER');

    expect(ledger.faults()).toEqual([]);
  });

  it('accepts an item of which only the failover shows: the process died right after the begin', () => {
    const ledger = imported();
    ledger.kill('a');
    report(ledger, 0, 'NORMAL_TRIGGER');
    report(ledger, 1, 'FAILOVER');

    expect(ledger.faults()).toEqual([]);
  });

  it('refuses a failover without a start while no process has died', () => {
    const ledger = imported();
    report(ledger, 0, 'NORMAL_TRIGGER');
    report(ledger, 1, 'FAILOVER');

    expect(ledger.faults()).toEqual(['item 1 was started 0 times after the import']);
  });

  it('refuses an item that is started twice, and one that is never started', () => {
    const ledger = imported();
    report(ledger, 0, 'NORMAL_TRIGGER');
    report(ledger, 0, 'NORMAL_TRIGGER');
    ledger.kill('a');

    expect(ledger.faults()).toEqual([
      'item 0 was started 2 times after the import',
      'item 1 was started 0 times after the import',
    ]);
  });
});

/** A ledger of one processed row. */
function imported(): Ledger {
  const ledger = new Ledger({ rows: 1, items: 1, batch: 1, batchMs: 1 });
  ledger.take({ step: 'write', worker: 'a', item: 0, source: 'NORMAL_TRIGGER', token: '1', rows: [0] });
  ledger.take({ step: 'saved', worker: 'a', item: 0, source: 'NORMAL_TRIGGER', token: '1' });
  return ledger;
}

function report(ledger: Ledger, item: number, source: string): void {
  ledger.take({ step: 'report', worker: 'a', item, source, token: '2' });
}
