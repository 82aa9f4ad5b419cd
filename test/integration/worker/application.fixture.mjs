// A user's application. It does its work and closes, and nothing keeps it alive then.
import { NestFactory } from '@nestjs/core';
import { ElasticJobModule, REGISTRY_CENTER } from 'nestjs-elastic-job';

const [servers, namespace, worker] = process.argv.slice(2);
const workerUrl = worker && new URL(worker, import.meta.url);
const registry = {
  type: 'zookeeper',
  servers,
  namespace,
  connection: 'worker-thread',
  workerUrl: workerUrl || undefined,
};

const application = await NestFactory.createApplicationContext(
  ElasticJobModule.forRoot({ registry, processing: false }),
  {
    logger: ['error', 'warn'],
  },
);
const center = application.get(REGISTRY_CENTER);
await center.create('/e', 'of the application', 'EPHEMERAL');
const { data, stat } = await center.read('/e');
await application.close();
process.stdout.write(`${data}, ${stat.ephemeralOwner === undefined ? 'stays' : 'goes'}\n`);
