import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { useSignedIn } from '../../session/signed-in.ts'
import { memberWords as members } from '../../words/members.ts'
import { ErasureView, useErasure } from './erasure-view.tsx'

/** The erasure of one payment's buyer: for guests, who are known by their payment alone. */
export function Page(): ReactNode {
  const { id = '' } = useParams()
  const { account, may } = useSignedIn()
  const query = useErasure(['erasures', 'payment', id], (api, signal) =>
    api.transactions.erasure.get(id, { signal }),
  )
  return (
    <ErasureView
      of="payment"
      above={[{ text: members.payment, to: `/${account}/payments/${id}` }]}
      query={query}
      mayErase={may('transactions.write') && may('erasures.write')}
      erase={(api) => api.transactions.erase(id)}
    />
  )
}
