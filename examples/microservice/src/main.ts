import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { start } from './start.js';

async function bootstrap(): Promise<void> {
  const { PORT = 3000, TCP_PORT = 4000 } = process.env;
  await start(await NestFactory.create(AppModule), { http: Number(PORT), tcp: Number(TCP_PORT) });
}

bootstrap().catch((error: unknown) => {
  Logger.error(error);
  process.exit(1);
});
