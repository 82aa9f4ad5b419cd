import { beforeEach, describe, expect, it } from 'vitest';
import { ConfigurationError, type JobProps } from '../../domain/index.js';
import { edit, textOf } from '@test/support/unit/config-node.js';
import { beforeNextTransaction, JOB, type Member, Registry } from '@test/support/unit/member.js';
import { ConfigurationNodeError } from './parse-configuration.js';

let registry: Registry;
beforeEach(() => {
  registry = new Registry();
});

describe('a configuration that was changed into something unusable', () => {
  it.each([
    ['cron: [', ConfigurationNodeError],
    ['jobName: settle-orders\ncron: 0 * * * * ?\nshardingTotalCount: 0\n', ConfigurationNodeError],
    ['jobName: settle-orders\ncron: 0 * * * * ?\nshardingTotalCount: 1000000\n', ConfigurationError],
  ])('leaves the former settings in force, and is reported as a fault: %j', async (text, error) => {
    const member = await registry.joined();
    const before = member.configurations.current(JOB);

    await edit(registry, member, text);

    const { configuration, fault, problem } = member.configurations.inForce(member.tree);
    expect(configuration).toEqual(before);
    expect(fault).toBeInstanceOf(error);
    expect(problem).toBeUndefined();
  });

  it('makes later instances run by the last usable text that the leader has kept', async () => {
    const leader = await registry.joined();
    const edited = (await textOf(leader)).replace('0 * * * * ?', '5 * * * * ?').replace('Count: 4', 'Count: 3');
    const { mtime } = await edit(registry, leader, edited);
    await keep(leader);
    await edit(registry, leader, edited.replace('5 * * * * ?', 'often').replace('Count: 3', 'Count: 7'));

    const late = await registry.member();
    await late.configurations.install(late.tree);

    for (const { configurations, tree } of [leader, late]) {
      expect(configurations.inForce(tree)).toMatchObject({
        configuration: { cron: '5 * * * * ?', shardingTotalCount: 3 },
        fault: { problems: [expect.stringContaining('often')] },
      });
    }
    expect(leader.configurations.inForce(leader.tree).writtenAt).toBe(mtime);
    expect(await textOf(late)).toContain('often');
  });

  it('lets the leader keep a usable edit made before it, which is then in force', async () => {
    const leader = await registry.joined();
    await edit(registry, leader, (await textOf(leader)).replace('Count: 4', 'Count: 3'));
    expect(leader.configurations.current(JOB).shardingTotalCount).toBe(3);
    await edit(registry, leader, 'cron: [');
    expect(leader.configurations.current(JOB).shardingTotalCount).toBe(4);

    await keep(leader);

    const { configuration, fault, problem } = leader.configurations.inForce(leader.tree);
    expect([configuration.shardingTotalCount, fault, problem]).toEqual([3, expect.any(Error), undefined]);
  });

  it('makes the leader keep no text that was replaced meanwhile', async () => {
    const leader = await registry.joined();
    const term = await leader.lead();
    const edited = (await textOf(leader)).replace('Count: 4', 'Count: 3');
    await edit(registry, leader, edited);
    beforeNextTransaction(leader, () => leader.center.set(leader.tree.paths.config, 'cron: ['));

    await leader.configurations.keep(leader.tree, term);

    expect(await keptTextOf(leader)).toContain('shardingTotalCount: 4');
  });

  it('lets no deposed leader keep a text', async () => {
    const leader = await registry.joined();
    const term = await leader.lead();
    await edit(registry, leader, (await textOf(leader)).replace('Count: 4', 'Count: 3'));
    await leader.center.delete(term.guard[0]!.path);

    await leader.configurations.keep(leader.tree, { guard: term.guard, signal: leader.tree.signal });

    expect(await keptTextOf(leader)).toContain('shardingTotalCount: 4');
  });

  it('costs the leader no request if the text is kept already', async () => {
    const leader = await registry.joined();
    const term = await leader.lead();
    const before = leader.center.traffic.foreground;

    await leader.configurations.keep(leader.tree, term);

    expect(leader.center.traffic.foreground).toBe(before);
  });

  it('is replaced by the last usable text with the change if an instance writes one', async () => {
    const member = await registry.joined();
    await edit(registry, member, `${(await textOf(member)).replace('Count: 4', 'Count: 3')}future: 1\n`);
    await keep(member);
    await edit(registry, member, 'cron: [');

    await member.configurations.write(member.tree, { ...member.configurations.current(JOB), jobParameter: 'p' });

    expect(await textOf(member)).toMatch(/^jobParameter: p$/m);
    expect(await textOf(member)).toMatch(/^shardingTotalCount: 3$/m);
    expect(await textOf(member)).toMatch(/^future: 1$/m);
    expect(await keptTextOf(member)).toBe(await textOf(member));
  });

  it.each(['nothing is kept', 'the kept text cannot be used either'])(
    'makes a starting job hold its own options and report the problem if %s',
    async (what) => {
      const first = await registry.joined();
      await edit(registry, first, 'cron: [');
      const { usableConfig } = first.tree.paths;
      if (what === 'nothing is kept') await first.center.delete(usableConfig);
      else await first.center.set(usableConfig, 'cron: {');

      const late = await registry.member();
      await late.configurations.install(late.tree);

      const { configuration, problem } = late.configurations.inForce(late.tree);
      expect(configuration).toMatchObject({ jobName: JOB, cron: '0 * * * * ?' });
      expect(problem).toBeInstanceOf(ConfigurationNodeError);
      expect(problem).toMatchObject({ problems: [expect.stringContaining('line 1')] });
    },
  );

  it('names props that the work cannot use in the fault, and cannot be written', async () => {
    const member = await registry.joined({ props: { 'http.uri': 'http://orders' } });
    const local = member.configurations.current(JOB);
    const findPropsFaults = (props: JobProps) => (props['http.uri'] ? [] : ['http.uri is required']);
    member.configurations.declare({ configuration: local, className: JOB, place: 'spec', findPropsFaults });
    const { data } = member.tree.node(member.tree.paths.config)!;

    await expect(member.configurations.write(member.tree, { ...local, props: {} })).rejects.toThrow(
      /http\.uri is required/,
    );
    await member.center.set(member.tree.paths.config, data.replace('http.uri', 'http.url'));
    await member.tree.sync();

    expect(member.configurations.inForce(member.tree)).toMatchObject({
      configuration: { props: { 'http.uri': 'http://orders' } },
      fault: { problems: ['http.uri is required'] },
    });
  });
});

/** Keeps the text as the leader does. */
async function keep(member: Member): Promise<void> {
  await member.configurations.keep(member.tree, await member.lead());
}

async function keptTextOf({ center, tree }: Member): Promise<string> {
  return (await center.read(tree.paths.usableConfig))!.data;
}
