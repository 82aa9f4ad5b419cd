export type { INestApplicationContext } from './application-context.js';
export * from './application-program.js';
export type { TestOverride } from './overrides.js';
