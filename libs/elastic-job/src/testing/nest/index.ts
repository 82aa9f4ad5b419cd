export type { INestApplicationContext } from '@nestjs/common';
export * from './application-program.js';
