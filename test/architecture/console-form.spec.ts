import { describe, expect, it } from 'vitest';
import { type Field, FIELDS, OPTIONS_OF_CODE } from '../../libs/elastic-job/page/src/configuration/fields.js';
import { CODE_OPTIONS, JOB_SETTINGS, type Setting } from '../../libs/elastic-job/src/domain/options/job-settings.js';

const ROWS: Readonly<Record<string, Setting>> = JOB_SETTINGS;
const KEPT = Object.keys(ROWS).filter((name) => name !== 'name' && !isOfCode(name));

function isOfCode(name: string): boolean {
  return name === 'overwrite' || CODE_OPTIONS.some((option) => option === name);
}

/** The field as JSON Schema can say it. */
function schemaOf({ from: minimum, isWhole, kind, to: maximum, words }: Field): object | undefined {
  if (kind === 'number') return { type: isWhole === true ? 'integer' : 'number', minimum, maximum };
  if (kind === 'word') return { enum: words?.toSorted() };
  if (kind === 'flag') return { type: 'boolean' };
  if (kind === 'names') return { type: 'array', items: { type: 'string' } };
  if (kind === 'props') return { type: 'object', additionalProperties: { type: 'string' } };
  return undefined;
}

function sorted(schema: Setting['rule']['schema']): object | undefined {
  const words: unknown = schema?.enum;
  return Array.isArray(words) ? { enum: words.map(String).toSorted((a, b) => (a < b ? -1 : 1)) } : schema;
}

describe('the form of the settings of a job', () => {
  it('has a field for each setting that the registry keeps, and names each option that is code', () => {
    expect([...FIELDS.keys()].toSorted()).toEqual(KEPT.toSorted());
    expect([...OPTIONS_OF_CODE].toSorted()).toEqual(Object.keys(ROWS).filter(isOfCode).toSorted());
  });

  it.each([...FIELDS.values()].filter((field) => schemaOf(field) !== undefined))(
    'has the rule of $name, and its default',
    (field) => {
      const { default: usual, rule } = ROWS[field.name]!;
      expect(schemaOf(field)).toEqual(sorted(rule.schema));
      expect(field.usual).toBe(['flag', 'number', 'word'].includes(field.kind) ? usual : undefined);
    },
  );

  it('lets a field be empty if the setting may have no value', () => {
    const fields = [...FIELDS.values()].filter(
      ({ kind, mayBeNone, usual }) => mayBeNone && usual === undefined && kind,
    );
    const none = KEPT.filter((name) => ROWS[name]!.default === undefined && ROWS[name]!.required === undefined);
    expect(fields.map(({ name }) => name).toSorted()).toEqual(none.toSorted());
  });
});
