import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../../libs/elastic-job/src/registry/index.js';
import type { RegistryAdapter } from '../harness.js';
import { useRegistry } from '../support.js';

export function describeSizes(adapter: RegistryAdapter): void {
  describe('request sizes', () => {
    const { harness, one } = useRegistry(adapter);

    it('grow by exactly the bytes of more text', async () => {
      const client = await one();
      const size = (path: string, data: string) => client.transactionBytes([{ kind: 'set', path, data }]);
      expect(size('/a', 'xyz') - size('/a', '')).toBe(3);
      expect(size('/a', '世界') - size('/a', '')).toBe(6);
      expect(size('/aaaa', '') - size('/a', '')).toBe(3);
      expect(client.transactionBytes([])).toBe(21);
    });

    it('include the namespace in every path', async () => {
      const name = harness().newNamespace();
      const [short, long] = [harness().center({ namespace: name }), harness().center({ namespace: `${name}/12345` })];
      const operations: Operation[] = [
        { kind: 'check', path: '/a' },
        { kind: 'delete', path: '/b' },
      ];
      expect(long.transactionBytes(operations) - short.transactionBytes(operations)).toBe(2 * 6);
    });
  });
}
