import { Logger } from '@nestjs/common';
import { expect, it, onTestFinished, vi } from 'vitest';
import { SystemClock } from '../clock/index.js';
import { MemoryRegistry } from '../registry/index.js';
import { resolveModuleOptions } from './resolve-module-options.js';

const GRANTED = 'granted for 15000 ms: a crash is noticed after about 15 to 17 s';
const ZOOKEEPER = { type: 'zookeeper', servers: '127.0.0.1:2181', namespace: 'shop', digest: 'user:s3cret' } as const;
const SHARED = { type: 'memory', server: new MemoryRegistry(new SystemClock()) } as const;

it.each([
  ['ZooKeeper', ZOOKEEPER, `session 1a CONNECTED, 127.0.0.1:2181 (namespace "shop"), ${GRANTED}`],
  ['a registry in memory that others share', SHARED, `session 1a CONNECTED, ${GRANTED}`],
] as const)('the log says where a process has landed, without credentials: %s', (_what, registry, line) => {
  const lines = vi.spyOn(Logger.prototype, 'log').mockReturnValue();
  onTestFinished(() => lines.mockRestore());
  const [log] = resolveModuleOptions({ registry }).tracing;

  log?.hear({ kind: 'session', state: 'CONNECTED', sessionId: '1a', timeoutMs: 15_000 });

  expect(lines.mock.calls).toEqual([[line]]);
});
