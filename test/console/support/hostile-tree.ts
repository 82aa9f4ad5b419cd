import type { INestApplication } from '@nestjs/common';
import type { RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';

const ALIASES = Array.from({ length: 12 }, (_, level) => `a${level + 1}: &a${level + 1} [${`*a${level},`.repeat(9)}]`);
/** A name that no job may have. */
const NO_JOB = '<img src=x onerror=alert(1)>';
/** Texts of `config` that nobody of good will writes. */
const CONFIGS: Readonly<Record<string, string>> = {
  huge: `jobName: huge\ndescription: '${'x'.repeat(900_000)}'\nshardingTotalCount: 1\ncron: 0 0 2 * * ?\n`,
  deep: `a: ${'['.repeat(10_000)}${']'.repeat(10_000)}`,
  deeper: `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
  binary: '\u0000\u0001\u{10ffff}\ufffd\u0007',
  aliases: ['a0: &a0 [x]', ...ALIASES].join('\n'),
  tags: 'jobName: !!js/function "function () { return 1 }"\ncron: !!java.net.URL [http://127.0.0.1/]\n',
  prototype: '__proto__: { polluted: true }\nconstructor: { prototype: { polluted: true } }\njobName: prototype\n',
  foreign: 'version: 99\njobName: foreign\nshardingTotalCount: 2147483647\ncron: "* * * * * ?"\n',
  items: 'jobName: items\nshardingTotalCount: 1e308\ncron: 0 0 2 * * ?\n',
};

/**
 * Writes jobs, and nodes below a good job, as somebody would who may write to the tree and wants the console to fail.
 * @returns the names of the jobs, and one that is none
 */
export async function plantHostileNodes(
  app: INestApplication,
): Promise<{ readonly jobs: readonly string[]; readonly noJob: string }> {
  const registry: RegistryCenter = app.get(Symbol.for('nestjs-elastic-job:registry-center'));
  const put = async (path: string, data: string): Promise<void> => {
    await registry.ensurePath(path);
    await registry.set(path, data);
  };
  for (const [job, config] of Object.entries(CONFIGS)) await put(`/${job}/config`, config);
  const good = '/settle-orders';
  await put(`${good}/instances/<script>`, 'x'.repeat(100_000));
  await put(`${good}/instances/10.0.0.9@-@1`, '{"jobInstanceId":{"a":[1,2,3]},"serverIp":"\u202e"}');
  await put(`${good}/servers/${'9'.repeat(300)}`, 'WHO KNOWS');
  await put(`${good}/leader/failover/items/not-a-number`, '\u0000');
  await put(`${good}/leader/failover/items/4294967296`, '');
  await put(`${good}/sharding/0/record`, JSON.stringify({ v: 99, run: { a: 1 }, by: null, target: 'x', attempt: -1 }));
  await put(`${good}/sharding/1/record`, `{"v":1,"run":"${'r'.repeat(100_000)}"}`);
  await put(`${good}/sharding/2/record`, '['.repeat(10_000));
  await put(`${good}/sharding/999999999999/instance`, 'x');
  await put(`${good}/sharding/-1/instance`, 'x');
  await put(`${good}/nobody/knows/${'deep/'.repeat(100)}it`, 'x');
  await put(`/${NO_JOB}/config`, 'jobName: x\n');
  return { jobs: Object.keys(CONFIGS), noJob: NO_JOB };
}
