import { defineConfig, mergeConfig } from 'vitest/config';
import usual from './vitest.config.js';

/** Attacks by whoever can write to the registry, or reads what the library tells. They run over a real ZooKeeper. */
const { include: _include, exclude: _exclude, ...test } = usual.test ?? {};
export default mergeConfig(
  { ...usual, test },
  defineConfig({ test: { include: ['test/security/**/*.spec.ts'], fileParallelism: false } }),
);
