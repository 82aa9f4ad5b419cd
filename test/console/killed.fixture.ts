// A console of its own process, which is killed while it makes a change. It says its port once it answers.
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ElasticJobModule } from '../../libs/elastic-job/src/index.js';
import { ElasticJobConsoleModule, JsonLinesAuditStore } from '../../libs/elastic-job/src/nest/console/index.js';

const [, , servers = '', namespace = '', file = '', sha256 = ''] = process.argv;
@Module({})
class RootModule {}

const root = {
  module: RootModule,
  imports: [
    ElasticJobModule.forRoot({
      registry: { type: 'zookeeper', servers, namespace, allowOpenAcl: true },
      processing: false,
    }),
    ElasticJobConsoleModule.forRoot({
      auth: { tokens: [{ name: 'alice', role: 'admin', sha256 }] },
      audit: new JsonLinesAuditStore({ file }),
    }),
  ],
};
const app = await NestFactory.create(root, { logger: false });
await app.listen(0, '127.0.0.1');
process.stdout.write(`${new URL(await app.getUrl()).port}\n`);
