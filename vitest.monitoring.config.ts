import { defineConfig } from 'vitest/config';
import { resolve, threads } from './vitest.base.js';

/** Alerts, dashboard and Compose file of `docs/operate`: over promtool, Prometheus, ZooKeeper and the built demo. */
export default defineConfig({ resolve, test: { ...threads, include: ['test/monitoring/**/*.spec.ts'] } });
