import { connectionWords as words } from '../../words/connections/connections.ts'
import type { PageEntry } from '../registry.ts'

const read = 'digital-wallets.read'

export const walletPages: readonly PageEntry[] = [
  {
    path: 'digital-wallets',
    load: () => import('./digital-wallets.page.tsx'),
    scope: read,
    nav: { group: 'connections', text: words.digitalWallets },
  },
  {
    path: 'digital-wallets/new',
    load: () => import('./new-digital-wallet.page.tsx'),
    scope: 'digital-wallets.write',
  },
  { path: 'digital-wallets/:id', load: () => import('./digital-wallet.page.tsx'), scope: read },
]
