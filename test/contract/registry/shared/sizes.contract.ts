import { describe, expect, it } from 'vitest';
import { type Operation, RequestTooLargeError } from '../../../../libs/elastic-job/src/registry/index.js';
import type { RegistryAdapter } from '../harness.js';
import { costOf, useRegistry } from '../support.js';

export function describeSizeLimits(adapter: RegistryAdapter): void {
  describe('request sizes', () => {
    const { harness, one } = useRegistry(adapter);

    it('allow a transaction of exactly the greatest size', async () => {
      const client = await one();
      await client.create('/a', '', 'PERSISTENT');
      const fitting = setOfSize(client.maxRequestBytes, (operations) => client.transactionBytes(operations));
      expect(client.maxRequestBytes).toBe(1_000_000);
      expect(client.transactionBytes(fitting)).toBe(1_000_000);
      expect(await client.transaction(fitting)).toMatchObject({ kind: 'committed' });
      expect((await client.read('/a'))?.data.length).toBeGreaterThan(999_000);
    });

    it('refuse one byte more with RequestTooLargeError, which names both sizes, and send nothing', async () => {
      const client = await harness().client({ namespace: harness().newNamespace(), maxRequestBytes: 10_000 });
      const tooLarge = setOfSize(10_001, (operations) => client.transactionBytes(operations));
      const cost = await costOf(client, async () => {
        const sent = client.transaction(tooLarge);
        await expect(sent).rejects.toThrow(RequestTooLargeError);
        await expect(sent).rejects.toMatchObject({ code: 'REQUEST_TOO_LARGE', bytes: 10_001, maxBytes: 10_000 });
      });
      expect(cost).toBe(0);
    });

    it('refuse data that no request can hold before it is sent', async () => {
      const client = await one();
      await client.create('/a', '', 'PERSISTENT');
      const data = 'x'.repeat(client.maxRequestBytes);
      await expect(client.create('/b', data, 'PERSISTENT')).rejects.toThrow(RequestTooLargeError);
      await expect(client.set('/a', data)).rejects.toThrow(RequestTooLargeError);
      expect(client.session.state).toBe('CONNECTED');
    });
  });
}

function setOfSize(bytes: number, sizeOf: (operations: readonly Operation[]) => number): readonly Operation[] {
  return [setOf(bytes - sizeOf([setOf(0)]))];
}

function setOf(length: number): Operation {
  return { kind: 'set', path: '/a', data: 'x'.repeat(length) };
}
