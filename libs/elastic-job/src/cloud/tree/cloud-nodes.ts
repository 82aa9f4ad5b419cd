import { untilAccepted } from '../../coordination/index.js';
import {
  creation,
  namesBelow,
  type Operation,
  type RegistryCenter,
  type RegistryNode,
  type TransactionResult,
  unlessAbsent,
} from '../../registry/index.js';
import { repeat } from '../../repeat/index.js';
import type { CloudForm } from './cloud-form.js';

/** A node of the registry: its configuration, or its faults. */
export interface StoredCloudNode<Configuration> {
  readonly name: string;
  /** Undefined if, and only if, there are problems. */
  readonly configuration: Configuration | undefined;
  readonly problems: readonly string[];
  readonly isDisabled: boolean;
}

/** Paths of applications or jobs, and of those that are disabled. */
interface CloudNodesParts<Configuration extends object> {
  readonly form: CloudForm<Configuration>;
  readonly root: string;
  readonly disabledRoot: string;
  readonly unknown: (name: string) => Error;
}

/** Operations that the nodes of applications and of jobs share. */
export class CloudNodes<Configuration extends object> {
  constructor(
    private readonly registry: RegistryCenter,
    private readonly parts: CloudNodesParts<Configuration>,
  ) {}

  /** One request. */
  async read(name: string): Promise<StoredCloudNode<Configuration> | undefined> {
    const [node, disabled] = await this.registry.readMany([this.pathOf(name), this.disabledPathOf(name)]);
    return node && this.stored(name, node, disabled !== undefined);
  }

  /** In the order of their names. */
  async readAll(): Promise<readonly StoredCloudNode<Configuration>[]> {
    const names = await childrenOf(this.registry, this.parts.root);
    const disabled = new Set(await childrenOf(this.registry, this.parts.disabledRoot));
    const nodes = await this.registry.readMany(names.map((name) => this.pathOf(name)));
    return nodes.flatMap((node, index) => {
      const name = names[index]!;
      return node === undefined ? [] : [this.stored(name, node, disabled.has(name))];
    });
  }

  /** @param checks further conditions; they come first in the result */
  async create(
    name: string,
    configuration: Configuration,
    checks: readonly Operation[] = [],
  ): Promise<TransactionResult> {
    await this.registry.ensurePath(this.parts.root);
    const text = this.parts.form.format(configuration);
    return this.registry.transaction([...checks, creation(this.pathOf(name), text)]);
  }

  /** @param checks further conditions @throws the error of `unknown`, if there is no such node */
  async replace(
    name: string,
    configuration: Configuration,
    checks: readonly Operation[] = [],
  ): Promise<TransactionResult> {
    const data = this.parts.form.format(configuration);
    const result = await this.registry.transaction([{ kind: 'set', path: this.pathOf(name), data }, ...checks]);
    if (result.kind === 'refused' && result.index === 0) throw this.parts.unknown(name);
    return result;
  }

  /** Removes a node, and its mark of being disabled. @returns false if there was no such node */
  remove(name: string): Promise<boolean> {
    return repeat(untilAccepted(name, 'its removal'), async () => {
      const paths = [this.pathOf(name), this.disabledPathOf(name)];
      const [node, disabled] = await this.registry.readMany(paths);
      const there = [node, disabled].filter((found) => found !== undefined);
      if (there.length === 0) return false;
      const result = await this.registry.transaction(there.map(({ path }) => ({ kind: 'delete', path })));
      return result.kind === 'committed' ? node !== undefined : undefined;
    });
  }

  /** Idempotent. @throws the error of `unknown`, if there is no such node */
  async disable(name: string): Promise<void> {
    await this.registry.ensurePath(this.parts.disabledRoot);
    const known: Operation = { kind: 'check', path: this.pathOf(name) };
    const result = await this.registry.transaction([known, creation(this.disabledPathOf(name), name)]);
    if (result.kind === 'refused' && result.index === 0) throw this.parts.unknown(name);
  }

  /** Idempotent. @throws the error of `unknown`, if there is no such node */
  async enable(name: string): Promise<void> {
    const known = await this.registry.exists(this.pathOf(name));
    if (known === undefined) throw this.parts.unknown(name);
    await unlessAbsent(this.registry.delete(this.disabledPathOf(name)));
  }

  private pathOf(name: string): string {
    return `${this.parts.root}/${name}`;
  }

  private disabledPathOf(name: string): string {
    return `${this.parts.disabledRoot}/${name}`;
  }

  private stored(name: string, { data }: RegistryNode, isDisabled: boolean): StoredCloudNode<Configuration> {
    const read = this.parts.form.read(data, name);
    if (read.kind === 'faulty') return { name, configuration: undefined, problems: read.problems, isDisabled };
    return { name, configuration: read.configuration, problems: [], isDisabled };
  }
}

/** The names of the children, sorted; none if there is no such node. */
export async function childrenOf(registry: RegistryCenter, path: string): Promise<readonly string[]> {
  return (await namesBelow(registry, path)).toSorted();
}
