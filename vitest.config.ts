import { configDefaults, defineConfig } from 'vitest/config';
import { resolve, sharedServer, threads } from './vitest.base.js';

const SPECS = ['{apps,bench,libs,src,test}/**/*.spec.ts'];
/**
 * Suites with a configuration of their own, vitest.*.config.ts, since they break servers, attack, or run beside Java,
 * other releases, databases, processes or the built site. Those of projects that use the package run there: npm run
 * test:consumers.
 */
const ELSEWHERE = [
  'test/{browser,chaos,cloud,console,databases,interop,monitoring,security,site,versions}/**',
  'test/consumers/projects/**',
];
/** Specs over real servers and processes, and those that take more than three seconds. */
const REAL = [
  'libs/elastic-job/release/**/*.spec.ts',
  'libs/elastic-job/src/cloud/process/channel-writer.spec.ts',
  'libs/elastic-job/src/domain/run/shard-outcome.spec.ts',
  'libs/elastic-job/src/executor/{email/email.error-handler,script/script.job-type}.spec.ts',
  'test/contract/*.{processes,sqlite,worker,zookeeper}.spec.ts',
  'test/docs/**/*.spec.ts',
  'test/integration/**/*.spec.ts',
  'test/lint/**/*.spec.ts',
  'test/nest/{bad-registry,cloud-rest,health,typed-jobs,user-functions}.spec.ts',
  'test/nest/built/*.spec.ts',
  'test/property/schedule/*.spec.ts',
  'test/property/sharding/shared-load.spec.ts',
  'test/scenario/{executor-deaths,misfire-histories,overload,template-crashes}.spec.ts',
  'test/simulation/simulation.spec.ts',
  'test/{supply,support}/**/*.spec.ts',
  'test/verify/{copy,inputs,run-suite}.spec.ts',
];

/** Specs of REAL whose limits are of real time. No other file runs beside them. */
const TIMED = [
  'test/integration/overload.spec.ts',
  'test/integration/worker/worker-thread.spec.ts',
  'test/support/faults/servers.spec.ts',
];
const ALWAYS_EXCLUDED = [...configDefaults.exclude, ...ELSEWHERE];

/** `npm test`: all specs but those of the suites elsewhere. */
export default defineConfig({
  resolve,
  test: {
    // Its default leaves a processor to the watching of files.
    maxWorkers: '100%',
    projects: [
      {
        extends: true,
        test: {
          ...threads,
          name: 'unit',
          include: SPECS,
          exclude: [...ALWAYS_EXCLUDED, ...REAL],
          setupFiles: './test/support/only-node.ts',
        },
      },
      {
        extends: true,
        test: {
          ...threads,
          name: 'real',
          include: REAL,
          exclude: [...ALWAYS_EXCLUDED, ...TIMED],
          globalSetup: sharedServer,
        },
      },
      {
        extends: true,
        test: {
          ...threads,
          name: 'timed',
          include: TIMED,
          exclude: ALWAYS_EXCLUDED,
          globalSetup: sharedServer,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
    coverage: { provider: 'v8', include: ['libs/*/src/**', 'apps/*/src/**'] },
  },
});
