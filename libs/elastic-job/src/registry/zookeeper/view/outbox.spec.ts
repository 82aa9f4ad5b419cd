import { beforeEach, describe, expect, it } from 'vitest';
import { Outbox } from './outbox.js';

let told: string[];
let outbox: Outbox;

beforeEach(() => {
  told = [];
  outbox = new Outbox((event) => told.push(event.kind === 'reset' ? 'reset' : `${event.kind} ${event.path}`));
});

describe('events in their order', () => {
  it('given an event whose value is not there, when others follow, then they wait for it', () => {
    outbox.put({ kind: 'created', path: '/a' });
    outbox.putWaiting({ kind: 'created', path: '/b' });
    outbox.put({ kind: 'deleted', path: '/c' });
    expect(told).toEqual(['created /a']);
    expect(outbox.arrived('/b')).toBe(true);
    expect(told).toEqual(['created /a', 'created /b', 'deleted /c']);
    expect(outbox.arrived('/b')).toBe(false);
  });

  it('given several changes of one node, when its value arrives, then they are told as one', () => {
    outbox.putWaiting({ kind: 'changed', path: '/a' });
    outbox.putWaiting({ kind: 'changed', path: '/a' });
    outbox.arrived('/a');
    expect(told).toEqual(['changed /a']);
  });

  it('given an event that waits, when it is withdrawn, then it is never told and holds up nobody', () => {
    outbox.putWaiting({ kind: 'created', path: '/a' });
    outbox.put({ kind: 'created', path: '/b' });
    expect(outbox.withdraw('/a')).toBe('created');
    expect(outbox.withdraw('/a')).toBeUndefined();
    outbox.arrived('/a');
    expect(told).toEqual(['created /b']);
  });

  it('given a listener that closes, when more is due, then it hears nothing more', () => {
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
