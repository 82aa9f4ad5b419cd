import { describe, expect, it } from 'vitest';
import { RowQueue } from './row-delivery.js';
import type { StatusRow } from './trace-row.js';

describe('RowQueue', () => {
  it('drops and counts the oldest row if it is full', () => {
    const queue = queueOf(3, 'a', 'b', 'c', 'd', 'e');

    expect(idsIn(queue)).toEqual(['c', 'd', 'e']);
    expect(queue.dropped).toBe(2);
  });

  it('writes a waiting row once, in its place and its latest version', () => {
    const queue = queueOf(3, 'a', 'b', 'c');

    queue.put(row('b', 'new'));

    expect(queue.take(9).map(({ id, message }: { id: string; message?: string }) => [id, message])).toEqual([
      ['a', ''],
      ['b', 'new'],
      ['c', ''],
    ]);
    expect(queue.dropped).toBe(0);
  });

  it('never drops rows that are being written when the queue is full', () => {
    const queue = queueOf(3, 'a', 'b', 'c');
    const taken = queue.take(2);

    queue.put(row('d'));

    expect(taken.map(({ id }) => id)).toEqual(['a', 'b']);
    expect([queue.size, queue.dropped]).toEqual([3, 1]);
    queue.done(2);
    expect(idsIn(queue)).toEqual(['d']);
  });

  it('counts the dropped rows of a batch, and gives back those that were neither written nor dropped', () => {
    const queue = queueOf(9, 'a', 'b', 'c', 'd');
    queue.take(3);

    queue.done(1);
    queue.drop();
    queue.giveBack();

    expect(idsIn(queue)).toEqual(['c', 'd']);
    expect(queue.dropped).toBe(1);
  });

  it('counts a row once if all are given up before it is dropped', () => {
    const queue = queueOf(9, 'a');
    queue.take(1);

    queue.dropAll();
    queue.drop();

    expect(queue.dropped).toBe(1);
  });

  it('puts rows that could not be written first again, in their latest version', () => {
    const queue = queueOf(9, 'a', 'b', 'c');
    queue.take(2);
    queue.put(row('b', 'new'));

    queue.giveBack();

    expect(queue.take(9)).toEqual([row('a'), row('b', 'new'), row('c')]);
  });

  it('counts waiting and taken rows once each if all are given up', () => {
    const queue = queueOf(9, 'a', 'b', 'c');
    queue.take(2);
    queue.put(row('b', 'new'));

    queue.dropAll();

    expect([queue.size, queue.dropped]).toEqual([0, 3]);
  });
});

function queueOf(limit: number, ...ids: string[]): RowQueue {
  const queue = new RowQueue(limit);
  for (const id of ids) queue.put(row(id));
  return queue;
}

function idsIn(queue: RowQueue): string[] {
  return queue.take(99).map(({ id }) => id);
}

function row(id: string, message = ''): StatusRow {
  const about = { jobName: 'j', taskId: 't', slaveId: '10.0.0.1', shardingItem: '[0]' };
  return { table: 'status', id, number: id.charCodeAt(0), ...about, state: 'TASK_RUNNING', message, creationTime: 0 };
}
