export type { INestApplicationContext } from '@nestjs/common';
