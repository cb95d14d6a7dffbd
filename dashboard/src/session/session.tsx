import type { MerchantAccount, Session } from '@railyard/client'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react'
import { clientOf, isSignedOut } from '../api/client.ts'
import { ErrorNotice } from '../parts/messages/notice.tsx'
import { SetUpAuthenticatorPage } from './set-up-authenticator.page.tsx'
import { SignInPage } from './sign-in.page.tsx'
import { mayOf, type SignedIn } from './signed-in.ts'

export type Person = Omit<SignedIn, 'account' | 'api'>

type State =
  | { is: 'loading' }
  | { is: 'signed-out'; ended: boolean }
  | { is: 'signed-in'; session: Session; accounts: readonly MerchantAccount[] }
  | { is: 'failed'; error: unknown }

/** Shows `children` to people who have signed in, and the way there to others. */
export function SessionGate({ children }: { children: (person: Person) => ReactNode }): ReactNode {
  const [state, setState] = useState<State>({ is: 'loading' })
  const load = useCallback(async () => {
    try {
      const session = await clientOf(undefined).sessions.current.get()
      const accounts: MerchantAccount[] = []
      if (!session.totp_enrollment_required && mayOf(session)('merchant-accounts.read'))
        for await (const account of clientOf(session).merchantAccounts.list({ limit: 100 }))
          accounts.push(account)
      setState({ is: 'signed-in', session, accounts })
    } catch (error) {
      setState(isSignedOut(error) ? { is: 'signed-out', ended: false } : { is: 'failed', error })
    }
  }, [])
  useEffect(() => void load(), [load])

  const queries = useMemo(() => {
    const onError = (error: unknown) => {
      if (isSignedOut(error)) setState({ is: 'signed-out', ended: true })
    }
    return new QueryClient({
      queryCache: new QueryCache({ onError }),
      mutationCache: new MutationCache({ onError }),
      // the client sends again what is safe to be sent again
      defaultOptions: { queries: { retry: false, staleTime: 5_000 } },
    })
  }, [])
  // the next person at this browser must not see what was loaded for this one
  useEffect(() => {
    if (state.is === 'signed-out') queries.clear()
  }, [state, queries])

  switch (state.is) {
    case 'loading':
      return null
    case 'failed':
      return (
        <main className="mx-auto max-w-lg p-8">
          <ErrorNotice error={state.error} onRetry={load} />
        </main>
      )
    case 'signed-out':
      return <SignInPage hasEnded={state.ended} onDone={load} />
    case 'signed-in': {
      const { session, accounts } = state
      const signOut = async () => {
        try {
          await clientOf(session).sessions.current.delete()
          setState({ is: 'signed-out', ended: false })
        } catch (error) {
          setState(isSignedOut(error) ? { is: 'signed-out', ended: false } : { is: 'failed', error })
        }
      }
      if (session.totp_enrollment_required)
        return <SetUpAuthenticatorPage session={session} onDone={load} onSignOut={signOut} />
      return (
        <QueryClientProvider client={queries}>
          {children({ session, accounts, may: mayOf(session), reload: load, signOut })}
        </QueryClientProvider>
      )
    }
  }
}
