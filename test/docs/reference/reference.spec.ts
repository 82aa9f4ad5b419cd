import { readFileSync } from 'node:fs';
import { BUILT_INS, propsRead } from '@test/support/unit/built-in-props.js';
import ts from 'typescript';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { JobErrorHandlers } from '../../../libs/elastic-job/src/executor/index.js';
import { VirtualClock } from '../../../libs/elastic-job/src/testing/index.js';
import { JOB_EVENTS, JobEvents } from '../../../libs/elastic-job/src/tracing/index.js';
import { eventFields } from './event-fields.js';
import { assertDefault, optionGroup } from './markdown.js';
import { referencePages } from './pages.js';
import { propsOf } from './props-pages.js';
import { Source } from './source.js';

/** The compiler reads the whole library. */
const READING_MS = 240_000;

describe('docs/reference', () => {
  let source: Source;
  let pages: ReadonlyMap<string, string>;
  beforeAll(async () => {
    source = Source.read();
    pages = await referencePages(source);
  }, READING_MS);

  it('is up to date with the code', () => {
    for (const [path, text] of pages) expect(readFileSync(path, 'utf8'), 'stale: npm run docs:reference').toBe(text);
  });

  it('has every exported interface of options, but for arguments of single calls', () => {
    const options = [...source.exported].filter(
      ([name, symbol]) => name.endsWith('Options') && (symbol.flags & ts.SymbolFlags.Interface) !== 0,
    );
    const all = [...pages.values()].join('\n');
    const missing = options.map(([name]) => name).filter((name) => !all.includes(`## \`${name}\``));
    expect(missing.toSorted()).toEqual([...ARGUMENTS, ...ELSEWHERE].toSorted());
  });

  it.each(Object.entries(BUILT_INS))('lists for %s the props that its code reads', (name, { read }) => {
    expect(propsRead(read).toSorted()).toEqual(
      propsOf(source, name)
        .map((prop) => prop.name)
        .toSorted(),
    );
  });

  it.each(['WECHAT', 'DINGTALK', 'SLACK', 'WEBHOOK', 'EMAIL'])(
    'says that %s has to be given, as the start does',
    (type) => {
      const handlers = new JobErrorHandlers(new VirtualClock(), new JobEvents(), [], 1);
      const job = { jobName: 'report', jobErrorHandlerType: type, props: {} };
      const section = pages.get('docs/reference/error-handlers.md')!.split(`## \`${type}\``)[1]!.split('\n## ')[0];
      const given = /errorHandlers: \[(new \w+\()/.exec(section!)?.[1];

      expect(given).toBeDefined();
      expect(() => handlers.assertUsable(job, 'job "report"')).toThrow(`give ${given}) `);
    },
  );

  it('knows the fields of each event in the catalogue', () => {
    const fields = eventFields();
    expect(new Set(fields.keys())).toEqual(new Set(Object.keys(JOB_EVENTS)));
    expect(fields.get('settled')).toEqual(['trigger', 'taskId', 'item', 'outcome', 'durationMs', 'begin']);
  });
});

describe('the generator of docs/reference', () => {
  it('fails at an option without a docstring', async () => {
    const source = Source.of('/** Options. */ export interface SomeOptions {\n  readonly limitMs?: number;\n}');
    optionGroup(source, 'SomeOptions');
    expect(source.faults).toEqual(['SomeOptions.limitMs has no docstring']);
    await expect(referencePages(source)).rejects.toThrow(TypeError);
  });

  it('takes text, default and unit of an option from its docstring', () => {
    const source = Source.of(
      '/** Options. */ export interface SomeOptions {\n  /** Limit. @default 5 */\n  limitMs?: number;\n}',
    );
    expect(optionGroup(source, 'SomeOptions')).toContain(
      'Limit.\n\n- Type: `number`\n- Default: `5`\n- Unit: milliseconds',
    );
    expect(source.faults).toEqual([]);
  });

  it('fails at a default of which docstring and code say different things', () => {
    const member = { name: 'limitMs', type: 'number', isOptional: true, text: 'Limit.', default: '5_000', choices: [] };
    expect(() => assertDefault(member, 5_000)).not.toThrow();
    expect(() => assertDefault(member, 6_000)).toThrow('limitMs: its docstring says @default 5_000, the code 6000.');
  });
});

/** Options of a single call; its method's page of the API shows them. */
const ARGUMENTS = [
  'CloseOptions',
  'DumpOptions',
  'DumpServerOptions',
  'EditOptions',
  'ExecutorDeathOptions',
  'HostAddressOptions',
  'MemoryRegistryCenterOptions',
  'NextFireTimesOptions',
  'OnJobEventOptions',
  'RequestOptions',
  'RerunOptions',
  'RunTaskOptions',
  'SubtreeOptions',
  'SyncOptions',
  'TransactionOptions',
  'TriggerOptions',
  'WatchOptions',
];

/**
 * A page of its own, that page and `TemplateLimits` together, and what `ZooKeeperRegistryOptions` and
 * `ElasticJobConsoleOptions` inherit.
 */
const ELSEWHERE = ['JobOptions', 'TemplateOptions', 'ZooKeeperOptions', 'ConsoleIdentityOptions'];

afterEach(() => void vi.restoreAllMocks());
