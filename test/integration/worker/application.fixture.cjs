// Like application.fixture.mjs, with the library's CommonJS copy, in a folder that has Nest 11. Nest 12 has ES modules
// only.
const { createRequire } = require('node:module');

const [directory, servers, namespace] = process.argv.slice(2);
const load = createRequire(`${directory}/`);

async function main() {
  if (!load.resolve('nestjs-elastic-job').includes('/dist/cjs/')) throw new Error('This is not the CommonJS copy.');
  const { NestFactory } = load('@nestjs/core');
  const { ElasticJobModule, REGISTRY_CENTER } = load('nestjs-elastic-job');

  const registry = { type: 'zookeeper', servers, namespace, connection: 'worker-thread' };
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
}

void main();
