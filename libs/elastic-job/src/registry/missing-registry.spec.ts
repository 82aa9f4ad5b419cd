import { expect, it } from 'vitest';
import { MissingRegistry } from './missing-registry.js';

it('connects and closes without effect in a process without a registry', async () => {
  const registry = new MissingRegistry();

  await registry.connect();
  expect([registry.session.state, registry.leaseRemainingMs(), registry.time(), registry.transactionBytes()]).toEqual([
    undefined,
    0,
    undefined,
    0,
  ]);
  registry.onSession()();
  registry.onWarning()();
  await registry.close();
});

it('names the operation and the remedy in the error of every request', async () => {
  const registry = new MissingRegistry();
  const asked = [
    registry.read('/a'),
    registry.readMany(['/a', '/b']),
    registry.exists('/a'),
    registry.children('/a'),
    registry.childrenMany(['/a', '/b']),
    registry.create('/a'),
    registry.ensurePath('/a'),
    registry.set('/a'),
    registry.delete('/a'),
    registry.transaction([{ path: '/a' }, { path: '/b' }]),
    registry.openSubtree('/a'),
    registry.watchChildren('/a'),
    registry.serverTime(),
  ];

  const answers = await Promise.allSettled(asked);
  expect(answers.map((answer) => answer.status === 'rejected' && answer.reason.operation)).toEqual([
    'read /a',
    'read /a /b',
    'exists /a',
    'children /a',
    'children /a /b',
    'create /a',
    'create /a',
    'set /a',
    'delete /a',
    'transaction /a /b',
    'watch /a',
    'watch /a',
    'server time',
  ]);
  await expect(registry.read('/a')).rejects.toMatchObject({
    code: 'MISSING_REGISTRY',
    message: expect.stringMatching(/^read \/a: a task has no registry\. Ask in a process that schedules the jobs/),
  });
});
