import { defineConfig, mergeConfig } from 'vitest/config';
import usual from './vitest.config.js';

/** Tasks in real processes, and schedulers that are killed and stopped. Some measure time, so they run one by one. */
const { include: _include, exclude: _exclude, ...test } = usual.test ?? {};
export default mergeConfig(
  { ...usual, test },
  defineConfig({ test: { include: ['test/cloud/**/*.spec.ts'], fileParallelism: false } }),
);
