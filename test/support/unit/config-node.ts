import type { NodeStat } from '../../../libs/elastic-job/src/registry/index.js';
import type { Member, Registry } from './member.js';

/** The text of the job's `config` node. */
export async function textOf({ center, tree }: Member): Promise<string> {
  return (await center.read(tree.paths.config))!.data;
}

/** Writes the text as an operator with a shell does, and makes the member read it. */
export async function edit(registry: Registry, member: Member, text: string): Promise<NodeStat> {
  await (await registry.operator()).set(member.tree.paths.config, text);
  await member.tree.sync();
  member.configurations.inForce(member.tree); // The runtime does the same at every event.
  return member.tree.stat(member.tree.paths.config)!;
}
