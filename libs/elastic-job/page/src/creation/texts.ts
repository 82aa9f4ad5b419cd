import { computed } from '@preact/signals';
import { creation as en, type CreationTexts } from '../text/en/creation.js';
import { language } from '../text/index.js';
import { creation as zh } from '../text/zh/creation.js';

/** Texts of this view, which comes in both languages. */
export const words = computed<CreationTexts>(() => (language.value === 'zh' ? zh : en));
