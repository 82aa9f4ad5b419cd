import type {
  MemoryRegistryCenter,
  Operation,
  RegistryCenter,
  TransactionResult,
} from '../../../libs/elastic-job/src/registry/index.js';

export const RECORD = /^\/[^/]+\/sharding\/\d+\/record$/;

type Send = (operations: readonly Operation[]) => Promise<TransactionResult>;

/** A registry that receives changed transactions. */
export function changing(
  center: MemoryRegistryCenter,
  change: (operations: readonly Operation[], send: Send) => Promise<TransactionResult>,
): RegistryCenter {
  return overriding<RegistryCenter>(center, {
    transaction: (operations, options) => change(operations, (changed) => center.transaction(changed, options)),
  });
}

/** The same with some of its members replaced. */
export function overriding<T extends object>(target: T, overrides: Partial<T>): T {
  return new Proxy(target, {
    get: (_, key) => {
      const overridden: unknown = Reflect.get(overrides, key);
      if (overridden !== undefined) return overridden;
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
