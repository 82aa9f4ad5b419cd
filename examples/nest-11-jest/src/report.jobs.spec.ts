import { createTestCluster, type TestCluster } from 'nestjs-elastic-job/testing';
import { AppModule } from './app.module';

describe('the report of each city', () => {
  let cluster: TestCluster;

  beforeEach(async () => {
    cluster = await createTestCluster({ instances: 3, module: AppModule });
  });
  afterEach(() => cluster.stop());

  it('is made by another instance each', async () => {
    await cluster.advance(8_000); // one fire time, and the work

    const owners = cluster.runs('city-report').map(({ instance }) => instance);
    expect(owners.sort()).toEqual([0, 1, 2]);
  });

  it('is made again when its instance crashes at work', async () => {
    await cluster.advance(5_000); // every instance is at work
    const lost = cluster.runs('city-report').find(({ instance }) => instance === 0);

    cluster.crash(0);
    await cluster.advance(20_000); // its session is over after 10 s

    const again = cluster.runs('city-report').filter(({ source }) => source === 'FAILOVER');
    expect(again).toMatchObject([{ item: lost?.item, endedAt: expect.any(Number) }]);
  });
});
