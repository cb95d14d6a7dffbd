import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useSignedIn } from '../../session/signed-in.ts'
import { erasureWords as words } from '../../words/payments/erasure.ts'

/** Leads to the erasure of a payment's buyer, for people who may erase. */
export function ErasureLink({ payment }: { payment: string }): ReactNode {
  const { account, may } = useSignedIn()
  if (!may('erasures.write') || !may('transactions.write')) return null
  return (
    <Link className="underline" to={`/${account}/payments/${payment}/erasure`}>
      {words.ofPayment}
    </Link>
  )
}
