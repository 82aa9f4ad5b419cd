import type {
  MemoryRegistryCenter,
  Operation,
  RegistryCenter,
  RequestOptions,
  TransactionResult,
} from '../../../libs/elastic-job/src/registry/index.js';

export const RECORD = /^\/[^/]+\/sharding\/\d+\/record$/;

type Send = (operations: readonly Operation[]) => Promise<TransactionResult>;

/** Operation that always succeeds. It stands for one that is left out, so that the others keep their places. */
export const STILL: Operation = { kind: 'check', path: '/' };

/** A registry that receives changed transactions. */
export function changing(
  center: MemoryRegistryCenter,
  change: (operations: readonly Operation[], send: Send) => Promise<TransactionResult>,
): RegistryCenter {
  return overriding<RegistryCenter>(center, {
    transaction: (operations, options) => change(operations, (changed) => sendMoving(center, changed, options)),
  });
}

/** Sends a transaction without its still operations. */
async function sendMoving(
  center: MemoryRegistryCenter,
  operations: readonly Operation[],
  options?: RequestOptions,
): Promise<TransactionResult> {
  const moving = operations.filter((one) => one !== STILL);
  const result = await center.transaction(moving, options);
  if (result.kind === 'refused') return { ...result, index: operations.indexOf(moving[result.index]!) };
  const answers = result.results.values();
  const results = operations.map((one) => (one === STILL ? { kind: 'check' as const } : answers.next().value!));
  return { kind: 'committed', results };
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
