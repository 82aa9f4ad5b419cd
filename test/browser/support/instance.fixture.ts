// An instance of a job in a process of its own, which is killed. Its items run until they are told to stop.
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ElasticJob, ElasticJobModule, type ShardingContext } from '../../../libs/elastic-job/src/index.js';

const [, , servers = '', namespace = ''] = process.argv;

class FollowingJobs {
  @ElasticJob({ name: 'stock-feed', resident: true, shardingTotalCount: 4 })
  async follow({ signal }: ShardingContext): Promise<void> {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }
}

@Module({
  imports: [
    ElasticJobModule.forRoot({
      registry: { type: 'zookeeper', servers, namespace, allowOpenAcl: true, sessionTimeoutMs: 4_000 },
    }),
  ],
  providers: [FollowingJobs],
})
class InstanceModule {}

await NestFactory.createApplicationContext(InstanceModule, { logger: false });
