import { describe, expect, it } from 'vitest';
import { NO_SETTINGS } from '@test/support/unit/no-settings.js';
import { JOB_SETTINGS, SETTING_NAMES } from './job-settings.js';
import { isFixed, takeSettings } from './take-settings.js';

describe('takeSettings', () => {
  it('takes everything that the registry keeps, and nothing that is code', () => {
    const given = Object.fromEntries(SETTING_NAMES.map((name) => [name, null]));
    const kept = SETTING_NAMES.filter(
      (name) => JOB_SETTINGS[name].at !== 'process' && !['name', 'overwrite'].includes(name),
    );

    const { settings, problems } = takeSettings('spec', given);

    expect(Object.keys(settings)).toEqual(kept);
    expect(problems).toHaveLength(SETTING_NAMES.length - kept.length);
    expect(SETTING_NAMES.filter(isFixed)).toEqual(SETTING_NAMES.filter((name) => !kept.includes(name)));
  });

  it('keeps an undefined setting, and takes other undefined ones for not given', () => {
    const given = { name: undefined, croon: undefined, timeoutMs: undefined };

    expect(takeSettings('spec', given)).toEqual({ settings: { timeoutMs: undefined }, problems: [] });
    expect(Object.keys(takeSettings('spec', given).settings)).toEqual(['timeoutMs']);
  });

  it('takes the settings of an instance whose class has methods', () => {
    class Edit {
      constructor(readonly jobParameter: string) {}
      describe(): string {
        return this.jobParameter;
      }
    }

    expect(takeSettings('spec', new Edit('p'))).toEqual({ settings: { jobParameter: 'p' }, problems: [] });
  });

  it('refuses a name that is no text, unless it is not listed, and a setting that is inherited', () => {
    const hidden = Object.defineProperty({ jobParameter: 'p' }, Symbol('trace'), { value: 1 });
    const inherited = Object.create({ jobParameter: 'p' });

    expect(takeSettings('spec', hidden)).toEqual({ settings: { jobParameter: 'p' }, problems: [] });
    expect(takeSettings('spec', { [Symbol('trace')]: 1 }).problems).toEqual([
      'Symbol(trace) is not an option of a job; its options have texts as names',
    ]);
    expect(takeSettings('spec', inherited).problems).toEqual([
      'jobParameter is inherited; give it as a property of the object itself',
    ]);
  });

  it('accepts what the caller names besides, and means it too', () => {
    const given = { name: 'j', templte: 't' };

    expect(takeSettings<{ name: string; template?: string }>('spec', given, ['name', 'template'])).toEqual({
      settings: { name: 'j' },
      problems: ['templte is not an option of a job; did you mean template?'],
    });
  });

  it.each(NO_SETTINGS)('takes nothing of %s', (_, given) => {
    expect(Object.keys(takeSettings('spec', given).settings).filter((name) => name !== 'maxAttempts')).toEqual([]);
  });
});
