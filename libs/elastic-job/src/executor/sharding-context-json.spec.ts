import { describe, expect, it } from 'vitest';
import { resolveJobOptions } from '../domain/index.js';
import { contextsOf } from './contexts.js';
import { setUp } from '@test/support/unit/hand-made-lease.js';
import { shardingContextHeader, shardingContextJson } from './sharding-context-json.js';

function contextOf(options: { readonly jobParameter?: string; readonly shardingItemParameters?: string } = {}) {
  const { lease } = setUp({ items: [0] });
  const configuration = resolveJobOptions(
    { name: lease.jobName, cron: '0 * * * * ?', shardingTotalCount: 2, ...options },
    { place: 'spec' },
  );
  return contextsOf(lease, configuration, 0)(0, 1);
}

describe('the context as another process is told it', () => {
  it("has the text of Java's Gson, field by field", () => {
    // ElasticJob 3.0.5 writes this for the same job, except for the end of the instance id.
    expect(shardingContextJson(contextOf({ shardingItemParameters: '0=a' }))).toBe(
      '{"jobName":"settle-orders","taskId":"settle-orders@-@0@-@READY@-@10.0.0.1@-@1-s1","shardingTotalCount":2,' +
        '"jobParameter":"","shardingItem":0,"shardingParameter":"a"}',
    );
  });

  it('leaves out the parameter if the item has none', () => {
    expect(shardingContextJson(contextOf())).not.toContain('shardingParameter');
  });

  it('escapes characters with a meaning in HTML as Gson does, and nothing else', () => {
    const json = shardingContextJson(contextOf({ jobParameter: `a=b&c<d>'e'"f"/ü\u2028\t\u0001` }));

    expect(json).toContain(String.raw`"jobParameter":"a\u003db\u0026c\u003cd\u003e\u0027e\u0027\"f\"/ü\u2028\t\u0001"`);
  });

  it.each(['plain', `ü=日本 \u{1F600} \u007f 'x'`])(
    'is ASCII as a header, from which JSON.parse restores "%s"',
    (text) => {
      const header = shardingContextHeader(contextOf({ jobParameter: text }));

      expect(header).toMatch(/^[\x20-\x7e]+$/);
      expect(JSON.parse(header)).toMatchObject({ jobParameter: text });
    },
  );
});
