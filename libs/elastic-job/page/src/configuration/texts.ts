import { computed } from '@preact/signals';
import { configuration as en, type ConfigurationTexts } from '../text/en/configuration.js';
import { language } from '../text/index.js';
import { configuration as zh } from '../text/zh/configuration.js';

/** Texts of this view, which comes in both languages. */
export const words = computed<ConfigurationTexts>(() => (language.value === 'zh' ? zh : en));
