// Boots applications of the user's module in a test cluster. Loaded on demand, since it needs `@nestjs/testing`.
export type { INestApplicationContext, TestOverride } from './overrides.js';
export * from './application-program.js';
