import { computed } from '@preact/signals';
import { history as en, type HistoryTexts } from '../text/en/history.js';
import { language } from '../text/index.js';
import { history as zh } from '../text/zh/history.js';

/** Texts of these views, which come in both languages. */
export const words = computed<HistoryTexts>(() => (language.value === 'zh' ? zh : en));
