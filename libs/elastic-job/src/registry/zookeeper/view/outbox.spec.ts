import { beforeEach, describe, expect, it } from 'vitest';
import { Outbox } from './outbox.js';

let told: string[];
let outbox: Outbox;

beforeEach(() => {
  told = [];
  outbox = new Outbox((event) => told.push(event.kind === 'reset' ? 'reset' : `${event.kind} ${event.path}`));
});

describe('events in their order', () => {
  it('wait for an earlier event whose value is not there yet', () => {
    outbox.put({ kind: 'created', path: '/a' });
    outbox.putWaiting({ kind: 'created', path: '/b' });
    outbox.put({ kind: 'deleted', path: '/c' });
    expect(told).toEqual(['created /a']);
    expect(outbox.arrived('/b')).toBe(true);
    expect(told).toEqual(['created /a', 'created /b', 'deleted /c']);
    expect(outbox.arrived('/b')).toBe(false);
  });

  it('are merged into one if a node changes several times before its value arrives', () => {
    outbox.putWaiting({ kind: 'changed', path: '/a' });
    outbox.putWaiting({ kind: 'changed', path: '/a' });
    outbox.arrived('/a');
    expect(told).toEqual(['changed /a']);
  });

  it('skip an event that is withdrawn, and do not wait for it', () => {
    outbox.putWaiting({ kind: 'created', path: '/a' });
    outbox.put({ kind: 'created', path: '/b' });
    expect(outbox.withdraw('/a')).toBe('created');
    expect(outbox.withdraw('/a')).toBeUndefined();
    outbox.arrived('/a');
    expect(told).toEqual(['created /b']);
  });

  it('keep their order around one that is withdrawn, and are told at once when none is left', () => {
    for (const path of ['/a', '/b', '/c']) outbox.putWaiting({ kind: 'created', path });
    outbox.withdraw('/b');
    outbox.arrived('/c');
    expect(told).toEqual([]);
    outbox.arrived('/a');
    outbox.put({ kind: 'reset' });
    expect(told).toEqual(['created /a', 'created /c', 'reset']);
  });

  it('are not emitted any more once the listener has closed', () => {
    const closing: Outbox = new Outbox(({ kind }) => {
      told.push(kind);
      closing.close();
    });
    closing.putWaiting({ kind: 'created', path: '/a' });
    closing.put({ kind: 'reset' });
    closing.arrived('/a');
    expect(told).toEqual(['created']);
  });
});
