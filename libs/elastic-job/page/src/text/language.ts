import { effect, signal } from '@preact/signals';
import { keepChoice, keptChoice } from '../state/kept.js';
import { en, type Texts } from './en/index.js';

export const LANGUAGES = ['en', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];
/** Names of the languages, each in itself. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', zh: '中文' };

export const language = signal<Language>('en');
/** All texts of the page, in the language that was chosen. A component that reads them is shown anew in another one. */
export const texts = signal<Texts>(en);

effect(() => void (document.documentElement.lang = texts.value.locale));

/** Loads the texts first, so that no view is half in one language. English stays if they cannot be had. */
export async function chooseLanguage(chosen: Language): Promise<void> {
  const loaded = chosen === 'en' ? en : (await import('./zh/index.js')).zh;
  texts.value = loaded;
  language.value = chosen;
  keepChoice('language', chosen);
}

/** The language that was chosen before, or the one of the browser. */
export async function startLanguage(): Promise<void> {
  const wanted = keptChoice('language', LANGUAGES) ?? (navigator.language.startsWith('zh') ? 'zh' : 'en');
  if (wanted !== 'en') await chooseLanguage(wanted).catch(() => {});
}
