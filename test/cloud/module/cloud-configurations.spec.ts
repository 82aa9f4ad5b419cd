import { Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { expect, it } from 'vitest';
import { ElasticJobModule } from '../../../libs/elastic-job/src/index.js';
import { CloudConfigurations, ElasticJobCloudModule } from '../../../libs/elastic-job/src/nest/cloud/index.js';
import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import { MemoryRegistry } from '../../../libs/elastic-job/src/registry/index.js';
import { ELASTIC_JOB_TASK } from '../../../libs/elastic-job/src/nest/module-definition.js';
import { MemoryTaskCluster } from '../../../libs/elastic-job/src/testing/index.js';

const APP = { appName: 'shop', appURL: 'registry.example.org/shop:1', bootstrapScript: 'bin/start.sh' };

function importing(tree?: { namespace?: string }) {
  const server = new MemoryRegistry(new SystemClock());
  const imports = [
    ElasticJobModule.forRoot({ registry: { type: 'memory', server } }),
    ElasticJobCloudModule.forRoot({ backend: new MemoryTaskCluster({ clock: new SystemClock() }).backend('a'), tree }),
  ];
  return { server, imports };
}

it('keeps registered configurations in a namespace of its own with the option tree', async () => {
  const { server, imports } = importing({});
  const app = await Test.createTestingModule({ imports }).compile();
  await app.init();
  await app.get(CloudConfigurations, { strict: false }).apps.add(APP);

  const cloud = server.center({
    namespace: 'elasticjob-cloud',
    sessionTimeoutMs: 10_000,
    requestTimeoutMs: 10_000,
    clock: new SystemClock(),
  });
  await cloud.connect();
  expect((await cloud.read('/config/app/shop'))?.data).toContain('appURL: registry.example.org/shop:1');
  await cloud.close();
  await app.close();
});

it('tells a task that asks for registered configurations that it has no registry', async () => {
  @Module({ providers: [{ provide: ELASTIC_JOB_TASK, useValue: true }], exports: [ELASTIC_JOB_TASK] })
  class Mark {}
  const { imports } = importing({});
  const app = await Test.createTestingModule({ imports: [{ module: Mark, global: true }, ...imports] }).compile();
  await app.init();
  await expect(app.get(CloudConfigurations, { strict: false }).apps.readAll()).rejects.toThrow(
    'a task has no registry',
  );
  await app.close();
});

it('has no configurations without the option tree', async () => {
  const app = await Test.createTestingModule({ imports: importing().imports }).compile();
  expect(app.get(CloudConfigurations, { strict: false })).toBeUndefined();
  await app.close();
});
