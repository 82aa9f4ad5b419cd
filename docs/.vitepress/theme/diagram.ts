import { useData } from 'vitepress';
import { defineComponent, h, onMounted, ref, watch } from 'vue';

let drawn = 0;

/** A Mermaid diagram. The text shows until it is drawn, and where it cannot be. */
export const Diagram = defineComponent({
  props: { text: { type: String, required: true } },
  setup(props) {
    const { isDark } = useData();
    const svg = ref('');
    const draw = async () => {
      const { default: mermaid } = await import('mermaid');
      mermaid.initialize({ startOnLoad: false, theme: isDark.value ? 'dark' : 'default' });
      drawn += 1;
      svg.value = (await mermaid.render(`diagram-${drawn}`, decodeURIComponent(props.text))).svg;
    };
    onMounted(draw);
    watch(isDark, draw);
    return () => (svg.value === '' ? h('pre', decodeURIComponent(props.text)) : h('figure', { innerHTML: svg.value }));
  },
});
