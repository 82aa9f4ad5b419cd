import { expect, it } from 'vitest';
import { isLoopback } from './plain-text.js';

it.each([
  ['localhost', true],
  ['zk.localhost', true],
  ['127.0.0.1', true],
  ['127.8.9.10', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['10.0.0.1', false],
  ['zk-0.zk', false],
  ['127.0.0.1.example.org', false],
  ['localhost.example.org', false],
  ['::2', false],
])('judges whether the host %s is this machine: %s', (host, isHere) => {
  expect(isLoopback({ host, port: 2181 })).toBe(isHere);
});
