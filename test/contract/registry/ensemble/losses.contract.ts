import { describe, expect, it } from 'vitest';
import { RegistryUnavailableError, SessionLostError } from '../../../../libs/elastic-job/src/registry/index.js';
import type { RegistryAdapter } from '../harness.js';
import { creationOf, recordSession, rejections, useRegistry } from '../support.js';

export function describeLosses(adapter: RegistryAdapter): void {
  describe('lost connections', () => {
    const { harness, one, two } = useRegistry(adapter);

    it('never report an existing node as absent while the connection breaks', async () => {
      const client = await one();
      await client.create('/a', '', 'PERSISTENT');
      const reconnected = recordSession(client).next('RECONNECTED');
      const ask = () => [client.read('/a'), client.exists('/a'), client.children('/')];
      const during = Promise.allSettled(Array.from({ length: 50 }, ask).flat());
      await harness().expire(client);
      const after = Promise.allSettled(ask());
      const answers = [...(await during), ...(await after)];
      await reconnected;
      expect(answers.filter((answer) => answer.status === 'fulfilled' && answer.value === undefined)).toEqual([]);
      expect(rejections(answers).filter((error) => !isLoss(error))).toEqual([]);
      expect(await client.read('/a')).toBeDefined();
    });

    it('send no create twice, and report its outcome truly', async () => {
      const [client, other] = await two();
      const reconnected = recordSession(client).next('RECONNECTED');
      const createOne = (_: unknown, n: number) => client.create(`/n${n}-`, '', 'PERSISTENT_SEQUENTIAL');
      const asked = Promise.allSettled(Array.from({ length: 100 }, createOne));
      await harness().expire(client);
      const answers = await asked;
      await reconnected;
      const names = await other.children('/');
      const lies = answers.filter((answer, n) => {
        const found = names.filter((name) => name.startsWith(`n${n}-`)).length;
        return !possibleCounts(answer).includes(found);
      });
      expect(lies).toEqual([]);
      expect(rejections(answers).filter((error) => !isLoss(error))).toEqual([]);
    });

    it('apply each transaction as a whole or not at all', async () => {
      const [client, other] = await two();
      const reconnected = recordSession(client).next('RECONNECTED');
      const commit = (_: unknown, n: number) => client.transaction([creationOf(`/a${n}`), creationOf(`/b${n}`)]);
      const asked = Promise.allSettled(Array.from({ length: 30 }, commit));
      await harness().expire(client);
      const answers = await asked;
      await reconnected;
      const names = await other.children('/');
      const torn = answers.filter((_, n) => names.includes(`a${n}`) !== names.includes(`b${n}`));
      const forgotten = answers.filter(({ status }, n) => status === 'fulfilled' && !names.includes(`a${n}`));
      expect(torn).toEqual([]);
      expect(forgotten).toEqual([]);
      expect(rejections(answers).filter((error) => !isLoss(error))).toEqual([]);
    });
  });
}

function isLoss(error: unknown): boolean {
  return error instanceof RegistryUnavailableError || error instanceof SessionLostError;
}

/** How often a create may have been applied, according to the answer to its caller. */
function possibleCounts(answer: PromiseSettledResult<unknown>): readonly number[] {
  if (answer.status === 'fulfilled') return [1];
  const mayBeApplied = answer.reason instanceof RegistryUnavailableError && answer.reason.fate === 'unknown';
  return mayBeApplied ? [0, 1] : [0];
}
