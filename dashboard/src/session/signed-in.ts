import type { MerchantAccount, Railyard, Session } from '@railyard/client'
import { createContext, useContext } from 'react'
import { covers } from './scopes.ts'

/** Who is signed in, and the merchant account that the pages are about. */
export interface SignedIn {
  session: Session
  /** The id of the current merchant account. */
  account: string
  /** The merchant accounts that the person may act on. */
  accounts: readonly MerchantAccount[]
  /** The client of the current merchant account. */
  api: Railyard
  /** Whether the person may use a scope, such as `transactions.write`. The server decides; this only hides. */
  may: (scope: string) => boolean
  /** Asks the server for the session again: after the person has changed it. */
  reload: () => Promise<void>
  signOut: () => Promise<void>
}

export const SignedInContext: React.Context<SignedIn | undefined> = createContext<SignedIn | undefined>(
  undefined,
)

export function useSignedIn(): SignedIn {
  const signedIn = useContext(SignedInContext)
  if (!signedIn) throw new Error('this part is shown to people who have signed in')
  return signedIn
}

export const useMay = (scope: string): boolean => useSignedIn().may(scope)

export const mayOf =
  ({ scopes }: Session) =>
  (scope: string): boolean =>
    covers(scopes, scope)
