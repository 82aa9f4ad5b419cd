import { describe, expect, it } from 'vitest';
import { ConfigurationError, importElasticJob2Configuration } from '../domain/index.js';
import { importElasticJobConfiguration } from './index.js';

const YML = `elasticjob.jobs.j.shardingTotalCount: 1
---
spring.config.activate.on-profile: prod & !dry
elasticjob.jobs.j.shardingTotalCount: 2
---
spring.config.activate.on-profile: [dev, test]
elasticjob.jobs.j.shardingTotalCount: 3
`;

describe('the options of an import', () => {
  it.each([
    [{ profiles: 'prod' }, 'profiles must be a list of names, such as ["prod"], but is "prod"'],
    [{ profiles: ['prod,eu'] }, 'profiles must be a list of names, such as ["prod"]'],
    [{ profiles: [undefined] }, 'profiles must be a list of names'],
    [{ profile: ['prod'] }, 'profile is not an option of the import; did you mean profiles?'],
    [{ format: 'yml' }, 'format must be "yaml" or "properties", but is "yml"'],
    [{ placeholders: { PASSWORD: 5 } }, 'placeholders must be texts by name, such as process.env'],
    [{ placeholders: new Map([['A', 'b']]) }, 'placeholders must be texts by name, such as process.env'],
    [['prod'], 'the options must be an object, but are of type Array'],
    [null, 'the options must be an object, but are of type Null'],
  ])('are refused if they are wrong: %j', (source, problem) => {
    const attempt = (): unknown => Reflect.apply(importElasticJobConfiguration, undefined, [YML, source]);
    expect(attempt).toThrow(ConfigurationError);
    expect(attempt).toThrow(problem);
  });

  it('may be those of a process', () => {
    expect(() => importElasticJobConfiguration(YML, { placeholders: process.env, profiles: [] })).not.toThrow();
    expect(() => importElasticJobConfiguration(YML, { format: 'yaml', profiles: ['dev'] })).not.toThrow();
  });
});

describe('a source that is no text', () => {
  it.each([
    [Buffer.from(YML), 'Uint8Array'],
    [undefined, 'Undefined'],
    [Promise.resolve(YML), 'Promise'],
    [{ elasticjob: {} }, 'Object'],
  ])('is refused with the way to read it: %#', (source, type) => {
    const remedy = "read the file as one, such as by readFileSync(path, 'utf8')";
    for (const read of [importElasticJobConfiguration, importElasticJob2Configuration]) {
      const attempt = (): unknown => Reflect.apply(read, undefined, [source]);
      expect(attempt).toThrow(ConfigurationError);
      expect(attempt).toThrow(`it must be a text, but is of type ${type}; ${remedy}`);
    }
  });
});

describe('an active profile that no document names', () => {
  const told = (profiles: readonly string[], text = YML) =>
    importElasticJobConfiguration(text, { profiles }).notTakenOver.filter(({ path }) => path === 'profiles');

  it('is told, with those that are named', () => {
    expect(told(['prd', 'test'])).toEqual([
      {
        path: 'profiles',
        value: 'prd',
        reason: 'no document of the text names this profile; prod, dry, dev, test are named',
        remedy: 'did you mean prod?',
        place: 'line 3, column 1',
      },
    ]);
    expect(told(['europe'])).toMatchObject([{ remedy: expect.stringContaining('check the name') }]);
  });

  it('is no news where no document has a profile, or the profile is that of no profile', () => {
    expect(told(['prod'], 'elasticjob.enabled: true\n---\nelasticjob.enabled: false')).toEqual([]);
    expect(told(['default', 'dry'])).toEqual([]);
  });
});
