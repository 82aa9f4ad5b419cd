import { computed } from '@preact/signals';
import { reruns as en, type RerunTexts } from '../text/en/reruns.js';
import { language } from '../text/index.js';
import { reruns as zh } from '../text/zh/reruns.js';

/** Texts of re-runs, which come in both languages. */
export const words = computed<RerunTexts>(() => (language.value === 'zh' ? zh : en));
