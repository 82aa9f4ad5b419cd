import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const guide = readFileSync('docs/job-types.md', 'utf8');
const blocks = [...guide.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);

describe('docs/job-types.md', () => {
  it('given the example of a dataflow, when the guide is read, then it shows the spec that is run', () => {
    const spec = readFileSync('test/docs/job-types/dataflow.spec.ts', 'utf8');
    expect(blocks).toContain(spec.replaceAll('@app/elastic-job', 'nestjs-elastic-job'));
  });
});
