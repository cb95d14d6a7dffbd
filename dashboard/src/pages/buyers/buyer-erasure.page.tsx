import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { useSignedIn } from '../../session/signed-in.ts'
import { buyerWords as words } from '../../words/payments/buyers.ts'
import { ErasureView, useErasure } from './erasure-view.tsx'

/** The erasure of a buyer, who may have been deleted before. */
export function Page(): ReactNode {
  const { id = '' } = useParams()
  const { account, may } = useSignedIn()
  const query = useErasure(['erasures', 'buyer', id], (api, signal) => api.buyers.erasure.get(id, { signal }))
  return (
    <ErasureView
      of="buyer"
      above={[
        { text: words.title, to: `/${account}/buyers` },
        { text: words.buyer, to: `/${account}/buyers/${id}` },
      ]}
      query={query}
      mayErase={may('buyers.write') && may('erasures.write')}
      erase={(api) => api.buyers.erase(id)}
    />
  )
}
