export type { INestApplicationContext, TestOverride } from './overrides.js';
export * from './application-program.js';
