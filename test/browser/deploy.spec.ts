import { randomUUID } from 'node:crypto';
import { ElasticJob } from '@app/elastic-job';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { findBarriers } from './support/accessibility.js';
import { openTab, stepBack, useBrowser, viewIsWhole } from './support/browsing.js';
import { startOther } from './support/other-instance.js';
import { PEOPLE, servePage } from './support/served-page.js';

const servers = await sharedZooKeeper();
const browsing = useBrowser();
/** Instances join and leave a real ensemble. */
const LONG = { timeout: 30_000 };

const OLD = { host: '10.0.3.17', aheadMs: 0, version: '1.42.0' };
const NEW = { host: '10.0.3.20', aheadMs: 0, version: '1.43.1' };

const deploy = (page: Page) => page.getByRole('region', { name: 'Deploy' });
const instances = (page: Page) =>
  page.getByRole('region', { name: 'Health' }).locator('div').filter({ hasText: 'Instances' });

it('a rolling deploy is told from its first instance to its last, and who drains', { timeout: 120_000 }, async () => {
  let deliver = () => {};
  const delivered = new Promise<void>((resolve) => (deliver = resolve));
  class HaulingJobs {
    @ElasticJob({ name: 'haul-freight', shardingTotalCount: 2 })
    haul(): Promise<void> {
      return delivered;
    }
  }
  const registry = { type: 'zookeeper', servers, namespace: `browser/${randomUUID()}`, allowOpenAcl: true } as const;
  const { ask, url } = await servePage({ options: { registry, processing: false }, providers: [] });
  const old = await startOther(registry, [HaulingJobs], OLD);
  onTestFinished(() => deliver());
  const page = await browsing.visit(url, { as: PEOPLE.operator });
  await instances(page).getByText('1.42.0').waitFor(LONG);
  expect(await deploy(page).count()).toBe(0);
  await ask('POST', '/jobs/haul-freight/trigger', { body: { reason: 'REL-7' } });
  await page.getByText('2 / 2').waitFor(LONG);

  // It does not push away what somebody is about to click.
  await page.getByRole('region', { name: 'Needs attention' }).hover();
  await startOther(registry, [HaulingJobs], NEW);
  await instances(page).getByText('2 servers known').waitFor(LONG);
  expect(await deploy(page).count()).toBe(0);
  await stepBack(page);

  await deploy(page)
    .getByText(/1\.43\.1 is replacing 1\.42\.0, since .* 1 of 2 instances is on it\./)
    .waitFor(LONG);
  const chinese = await browsing.visit(url, { as: PEOPLE.viewer, locale: 'zh-CN', width: 390 });
  await chinese.getByText(/1\.43\.1 正在替换 1\.42\.0，已持续.*2 个实例中有 1 个已是新版本/).waitFor(LONG);
  await chinese.close();

  const left = old.leave();

  await deploy(page)
    .getByText(/1 instance is draining \(10\.0\.3\.17, since \d+ s\)/)
    .waitFor(LONG);
  await instances(page).getByText('1 draining').waitFor();
  await deploy(page).getByText('Releases, and who is draining').click();
  await stepBack(page);
  const cellsOf = async (row: string) => {
    const found = deploy(page).getByRole('row').filter({ hasText: row }).first();
    return (await found.getByRole('cell').allTextContents()).slice(0, 4);
  };
  // Instances, those that drain, jobs, and those with both releases.
  expect(await cellsOf('1.43.1')).toEqual(['1', '0', '1', '1']);
  expect(await cellsOf('1.42.0')).toEqual(['1', '1', '1', '1']);
  expect(await cellsOf('10.0.3.17@-@')).toEqual(['1.42.0', '1', expect.stringMatching(/^since \d+ s$/)]);
  expect(await findBarriers(page)).toEqual([]);
  const jobs = await openTab(page.context(), `${url}jobs/haul-freight`);
  await viewIsWhole(jobs);
  await jobs.locator('.who').filter({ hasText: '10.0.3.20' }).getByText('1.43.1').waitFor();
  await jobs.goto(`${url}servers`);
  await jobs.getByRole('row', { name: /10\.0\.3\.17.*draining.*1\.42\.0/ }).waitFor();

  deliver();
  await left;

  await deploy(page).waitFor({ state: 'detached', ...LONG });
  await instances(page).getByText('1.43.1').waitFor();
});
