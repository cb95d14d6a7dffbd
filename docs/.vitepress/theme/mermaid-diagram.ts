import { useData } from 'vitepress'
import { defineComponent, h, onMounted, ref, watch } from 'vue'

let drawn = 0

/**
 * A Mermaid diagram, drawn in the reader's browser by the package that this site brings along. Until then,
 * and without JavaScript, its source.
 */
export default defineComponent({
  props: { source: { type: String, required: true } },
  setup(props) {
    const { isDark } = useData()
    const source = decodeURIComponent(props.source)
    const picture = ref('')
    const draw = async () => {
      const { default: mermaid } = await import('mermaid')
      mermaid.initialize({
        startOnLoad: false,
        theme: isDark.value ? 'dark' : 'neutral',
        securityLevel: 'strict',
      })
      drawn += 1
      picture.value = (await mermaid.render(`diagram-${drawn}`, source)).svg
    }
    onMounted(draw)
    watch(isDark, draw)
    return () => (picture.value ? h('div', { class: 'mermaid', innerHTML: picture.value }) : h('pre', source))
  },
})
