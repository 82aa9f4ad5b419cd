import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const guide = readFileSync('docs/testing.md', 'utf8');
const blocks = [...guide.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);

describe('docs/testing.md', () => {
  it.each(['crash', 'partition', 'nest-module'])(
    'given the example %s, when the guide is read, then it shows the spec that is run',
    (name) => {
      const spec = readFileSync(`test/docs/testing/${name}.spec.ts`, 'utf8');
      expect(blocks).toContain(spec.replaceAll('@app/elastic-job', 'nestjs-elastic-job'));
    },
  );
});
