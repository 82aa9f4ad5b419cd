import { expect, it } from 'vitest';
import { formatTaskId, isSameTarget, manualOrigin, serverIpOfTask, triggerIdOf } from './trigger.js';

it("is named as ElasticJob names a task, which tells the instance's address", () => {
  const taskId = formatTaskId('settle-orders', [0, 2], '10.0.0.1@-@7-1a');

  expect(taskId).toBe('settle-orders@-@0,2@-@READY@-@10.0.0.1@-@7-1a');
  expect(serverIpOfTask(taskId)).toBe('10.0.0.1');
  expect(serverIpOfTask('settle-orders')).toBe('');
});

it('has the id of an operator in its origin, and no id if the schedule or a resident job has begun it', () => {
  expect(triggerIdOf(manualOrigin('a:b'))).toBe('a:b');
  expect([triggerIdOf('schedule'), triggerIdOf('resident')]).toEqual([undefined, undefined]);
});

it.each([
  ['the same instant and origin, whatever its parameters', { fireTime: 1, origin: 'manual:a', parameters: 'p' }, true],
  ['another instant', { fireTime: 2, origin: 'manual:a' }, false],
  ['another origin', { fireTime: 1, origin: 'schedule' }, false],
] as const)('is the same target with %s: $2', (_what, other, isSame) => {
  expect(isSameTarget({ fireTime: 1, origin: 'manual:a' }, other)).toBe(isSame);
});
