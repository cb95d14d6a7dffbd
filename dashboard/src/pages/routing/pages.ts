import { connectionWords as words } from '../../words/connections/connections.ts'
import type { PageEntry } from '../registry.ts'

const read = 'flows.read'
const write = 'flows.write'

export const routingPages: readonly PageEntry[] = [
  {
    path: 'routing',
    load: () => import('./routing.page.tsx'),
    scope: read,
    nav: { group: 'connections', text: words.routing },
  },
  { path: 'routing/:flow/rules/new', load: () => import('./rule.page.tsx'), scope: write },
  { path: 'routing/:flow/rules/:rule', load: () => import('./rule.page.tsx'), scope: write },
  { path: 'routing/:flow/versions/:version', load: () => import('./version.page.tsx'), scope: read },
  { path: 'routing/:flow/replay', load: () => import('./replay.page.tsx'), scope: read },
]
