import type { Mermaid, MermaidConfig } from 'mermaid';
import { useData } from 'vitepress';
import { computed, defineComponent, h, onMounted, ref, useTemplateRef, watch } from 'vue';

declare const document: { readonly documentElement: unknown };
declare function getComputedStyle(element: unknown): { getPropertyValue(name: string): string };

/** Colours of the site, as style.css names them, by Mermaid's variables. */
const COLOURS = {
  background: '--bg',
  mainBkg: '--accent-bg',
  primaryColor: '--accent-bg',
  primaryBorderColor: '--accent',
  primaryTextColor: '--text',
  nodeBorder: '--accent',
  textColor: '--text',
  lineColor: '--dim',
  edgeLabelBackground: '--bg',
  secondaryColor: '--raise',
  tertiaryColor: '--raise',
  actorLineColor: '--line2',
  signalColor: '--dim',
  signalTextColor: '--text',
  noteBkgColor: '--warn-bg',
  noteBorderColor: '--warn',
  noteTextColor: '--text',
};

const FONT_PX = 14;
/** How much smaller than its own size a drawing may be shown. A wider one scrolls. */
const LEAST_SCALE = 0.85;

let drawn = 0;

/** A Mermaid diagram. The text shows until it is drawn, and where it cannot be. */
export const Diagram = defineComponent({
  props: { text: { type: String, required: true } },
  setup(props) {
    const text = decodeURIComponent(props.text);
    const { isDark } = useData();
    const theme = computed(() => (isDark.value ? 'dark' : 'light'));
    const shown = ref({ svg: '', theme: '' });
    const place = useTemplateRef<Parameters<Mermaid['render']>[2]>('place');
    const draw = async () => {
      const { default: mermaid } = await import('mermaid');
      const now = theme.value;
      mermaid.initialize(configOf(now === 'dark'));
      drawn += 1;
      // Mermaid measures each label in this place, whose styles are those of the drawing.
      const { svg } = await mermaid.render(`diagram-${drawn}`, text, place.value ?? undefined);
      shown.value = { svg, theme: now };
    };
    onMounted(draw);
    watch(theme, draw, { flush: 'post' });
    return () => {
      const { svg, theme: drawnIn } = shown.value;
      return h('figure', { class: 'diagram', 'data-theme': drawnIn, tabindex: 0 }, [
        svg === ''
          ? h('pre', text)
          : h('div', { class: 'drawing', style: { minWidth: leastWidthOf(svg) }, innerHTML: svg }),
        h('div', { class: 'drawing measured', 'aria-hidden': 'true', ref: 'place' }),
      ]);
    };
  },
});

function configOf(darkMode: boolean): MermaidConfig {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(name).trim();
  const colours = Object.entries(COLOURS).map(([variable, name]) => [variable, read(name)]);
  const fontFamily = read('--vp-font-family-base');
  return {
    startOnLoad: false,
    theme: 'base',
    fontFamily,
    fontSize: FONT_PX,
    themeVariables: { ...Object.fromEntries(colours), darkMode, fontFamily, fontSize: `${FONT_PX}px` },
    sequence: {
      width: 150,
      height: 44,
      actorMargin: 32,
      mirrorActors: false,
      wrap: true,
      actorFontSize: FONT_PX,
      messageFontSize: FONT_PX,
      noteFontSize: FONT_PX,
    },
  };
}

function leastWidthOf(svg: string): string | undefined {
  const [, width] = /max-width: ([\d.]+)px/.exec(svg) ?? [];
  return width === undefined ? undefined : `${Number(width) * LEAST_SCALE}px`;
}
