import { Logger } from '@nestjs/common';
import { expect, it, onTestFinished, vi } from 'vitest';
import { resolveModuleOptions } from './resolve-module-options.js';

it('the log says at which ZooKeeper a process has landed, without credentials', () => {
  const lines = vi.spyOn(Logger.prototype, 'log').mockReturnValue();
  onTestFinished(() => lines.mockRestore());
  const registry = { type: 'zookeeper', servers: '127.0.0.1:2181', namespace: 'shop', digest: 'user:s3cret' } as const;
  const [log] = resolveModuleOptions({ registry }).tracing;

  log?.hear({ kind: 'session', state: 'CONNECTED', sessionId: '1a', timeoutMs: 15_000 });

  const granted = 'granted for 15000 ms: a crash is noticed after about 15 to 17 s';
  expect(lines.mock.calls).toEqual([[`session 1a CONNECTED, 127.0.0.1:2181 (namespace "shop"), ${granted}`]]);
});
