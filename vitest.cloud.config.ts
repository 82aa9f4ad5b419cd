import { defineConfig, mergeConfig } from 'vitest/config';
import usual from './vitest.config.js';

/** Tasks in processes of their own. */
const { include: _include, exclude: _exclude, ...test } = usual.test ?? {};
export default mergeConfig(
  { ...usual, test },
  defineConfig({ test: { include: ['test/cloud/**/*.spec.ts'], fileParallelism: false } }),
);
