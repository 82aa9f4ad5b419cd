import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../../../libs/elastic-job/src/domain/index.js';
import type { RegistryAdapter } from '../harness.js';
import { eventText, useRegistry } from '../support.js';

export function describeNamespaces(adapter: RegistryAdapter): void {
  describe('namespaces', () => {
    const { harness, two } = useRegistry(adapter);

    it('keep the same path apart', async () => {
      const [a, b] = [
        await harness().client({ namespace: harness().newNamespace() }),
        await harness().client({ namespace: harness().newNamespace() }),
      ];
      await a.create('/x', 'of a', 'PERSISTENT');
      expect(await b.exists('/x')).toBeUndefined();
      await b.create('/x', 'of b', 'PERSISTENT');
      expect((await a.read('/x'))?.data).toBe('of a');
      expect(await b.children('/')).toEqual(['x']);
    });

    it('share their nodes between clients', async () => {
      const [a, b] = await two();
      await a.create('/x', 'shared', 'PERSISTENT');
      expect((await b.read('/x'))?.data).toBe('shared');
    });

    it('show an inner namespace as a path of the outer one', async () => {
      const outerName = harness().newNamespace();
      const outer = await harness().client({ namespace: outerName });
      const inner = await harness().client({ namespace: `${outerName}/inner/most` });
      await inner.create('/x', 'deep', 'PERSISTENT');
      expect((await outer.read('/inner/most/x'))?.data).toBe('deep');
    });

    it('stay apart in views although one name begins like the other', async () => {
      const name = harness().newNamespace();
      const [reader, writer] = [
        await harness().client({ namespace: name }),
        await harness().client({ namespace: `${name}2` }),
      ];
      const events: string[] = [];
      const view = await reader.openSubtree('/', (event) => events.push(eventText(event)));
      await writer.create('/x', '', 'PERSISTENT');
      await view.sync();
      expect(events).toEqual([]);
      expect(view.children('/')).toEqual([]);
    });

    it('report the path below the namespace in a refusal', async () => {
      const [client] = await two();
      const refused = await client.transaction([{ kind: 'delete', path: '/none' }]);
      expect(refused).toEqual({ kind: 'refused', index: 0, path: '/none', refusal: 'NO_NODE' });
      await expect(client.delete('/none')).rejects.toMatchObject({ path: '/none' });
    });

    it.each([
      '',
      '/',
      '/a',
      'a/',
      'a//b',
      '.',
      'a/../b',
      'a\u0000b',
      'a\u007fb',
      'a\ue000b',
      'zookeeper',
      'zookeeper/a',
    ])('refuse the illegal name %j with a ConfigurationError that echoes it', (namespace) => {
      const make = () => harness().center({ namespace });
      expect(make).toThrow(ConfigurationError);
      expect(make).toThrow(JSON.stringify(namespace));
    });

    it.each([
      ["'shop'", "has the quote '"],
      ['"shop/orders"', 'has the quote "'],
      ['`shop`', 'has the quote `'],
      ["shop's", "has the quote '"],
      ['shop ', 'begins or ends with white space'],
      ['\u00a0shop', 'begins or ends with white space'],
      [' ', 'begins or ends with white space'],
    ])('refuse %j, which %s: processes with and without it would each run every item', (namespace, problem) => {
      const make = () => harness().center({ namespace });
      expect(make).toThrow(ConfigurationError);
      expect(make).toThrow(`namespace ${JSON.stringify(namespace)} ${problem}`);
      expect(make).toThrow("Docker's --env-file keeps quotes and blanks");
    });
  });
}
