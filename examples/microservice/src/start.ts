import type { INestApplication } from '@nestjs/common';
import { type MicroserviceOptions, Transport } from '@nestjs/microservices';

/** Lets an application answer messages beside HTTP. Its jobs run once, whatever it answers. */
export async function start(app: INestApplication, ports: { http: number; tcp: number }): Promise<void> {
  app.enableShutdownHooks(); // so that SIGTERM drains the jobs
  app.connectMicroservice<MicroserviceOptions>(
    { transport: Transport.TCP, options: { port: ports.tcp } },
    { inheritAppConfig: true },
  );
  await app.startAllMicroservices();
  await app.listen(ports.http);
}
