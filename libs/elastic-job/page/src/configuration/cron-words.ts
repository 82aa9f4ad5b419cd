/**
 * A cron expression in words. They are loaded when they are asked for first, in one language at a time.
 */
import type { Language } from '../text/language.js';

type Cronstrue = typeof import('cronstrue').default;

const LOCALES: Readonly<Record<Language, string>> = { en: 'en', zh: 'zh_CN' };
/** Second, minute and hour: a step that does not divide them is said as if it did. */
const CYCLES = [60, 60, 24];

/** @returns undefined for an expression for which there are no right words @throws if they cannot be loaded */
export async function cronWords(cron: string, language: Language): Promise<string | undefined> {
  if (CYCLES.some((cycle, index) => cycle % stepOf(cron.split(/\s+/)[index]) !== 0)) return undefined;
  const cronstrue = await load(language);
  try {
    return cronstrue.toString(cron, {
      dayOfWeekStartIndexZero: false,
      use24HourTimeFormat: true,
      locale: LOCALES[language],
      throwExceptionOnParseError: true,
    });
  } catch {
    return undefined;
  }
}

async function load(language: Language): Promise<Cronstrue> {
  const { default: cronstrue } = await import('cronstrue');
  if (language === 'zh') await import('cronstrue/locales/zh_CN.js');
  return cronstrue;
}

function stepOf(field = ''): number {
  return Number(/\/(\d+)$/.exec(field)?.[1] ?? 1) || 1;
}
