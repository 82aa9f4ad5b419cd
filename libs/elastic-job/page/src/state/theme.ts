import { effect, signal } from '@preact/signals';
import { keepChoice, keptChoice } from './kept.js';

export const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

/** The theme that was chosen; `system` follows the device. */
export const theme = signal<Theme>(keptChoice('theme', THEMES) ?? 'system');

effect(() => {
  const { dataset } = document.documentElement;
  if (theme.value === 'system') delete dataset.theme;
  else dataset.theme = theme.value;
});

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  keepChoice('theme', chosen);
}
