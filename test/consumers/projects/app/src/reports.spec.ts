import { once } from 'node:events';
import { Test } from '@nestjs/testing';
import { createTestCluster } from 'nestjs-elastic-job/testing';
import { Reports, ReportsModule } from './reports.module.js';

it('runs its job after a second', async () => {
  const module = await Test.createTestingModule({ imports: [ReportsModule] }).compile();
  await module.init();
  await once(module.get(Reports).done, 'report');
  await module.close();
});

it('has one item for each of two instances', async () => {
  const cluster = await createTestCluster({ instances: 2, module: ReportsModule });
  await cluster.advance(2_000);
  expect(new Set(cluster.assignment('city-report').values())).toEqual(new Set([0, 1]));
  await cluster.stop();
});
