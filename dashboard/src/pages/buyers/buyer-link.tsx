import type { Buyer, TransactionBuyer } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useSignedIn } from '../../session/signed-in.ts'
import { buyerName } from './buyer-name.ts'

/** A buyer's name, which leads to the buyer if it is a stored one. */
export function BuyerLink({ buyer }: { buyer: Buyer | TransactionBuyer | null | undefined }): ReactNode {
  const { account, may } = useSignedIn()
  if (!buyer) return null
  const name = buyerName(buyer)
  return buyer.id && may('buyers.read') ? (
    <Link className="underline" to={`/${account}/buyers/${buyer.id}`}>
      {name}
    </Link>
  ) : (
    name
  )
}
