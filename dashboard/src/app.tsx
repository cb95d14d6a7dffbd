import { CSPProvider } from '@base-ui/react/csp-provider'
import { createContext, Fragment, type ReactNode, useContext, useMemo, useState } from 'react'
import {
  createBrowserRouter,
  isRouteErrorResponse,
  Navigate,
  RouterProvider,
  useLocation,
  useParams,
  useRouteError,
} from 'react-router'
import { clientOf } from './api/client.ts'
import { Live } from './api/live.tsx'
import { basePath } from './api/place.ts'
import { ZoneProvider } from './format/zone.tsx'
import { type PageEntry, pages } from './pages/registry.ts'
import { Empty, ErrorNotice } from './parts/messages/notice.tsx'
import { Toasts } from './parts/messages/toast.tsx'
import { Button, ButtonLink } from './parts/page/button.tsx'
import { useTitle } from './parts/page/use-title.ts'
import { mayOpen } from './session/scopes.ts'
import { type Person, SessionGate } from './session/session.tsx'
import { SignedInContext, useSignedIn } from './session/signed-in.ts'
import { Shell } from './shell/shell.tsx'
import { sessionWords } from './words/session.ts'
import { shellWords as words } from './words/shell.ts'

export const App = (): ReactNode => (
  // Base UI would put style elements into the page
  <CSPProvider disableStyleElements>
    <ZoneProvider>
      <Toasts>
        <SessionGate>{(person) => <Pages person={person} />}</SessionGate>
      </Toasts>
    </ZoneProvider>
  </CSPProvider>
)

const LAST_ACCOUNT = 'railyard.account'

const PersonContext = createContext<Person | undefined>(undefined)

function usePerson(): Person {
  const person = useContext(PersonContext)
  if (!person) throw new Error('this part is shown to people who have signed in')
  return person
}

/** All pages, each below its merchant account: the address of a payment opens the same payment for a colleague. */
const makeRouter = () =>
  createBrowserRouter(
    [
      { path: '/', element: <ToAccount />, errorElement: <Failed /> },
      {
        path: '/:account',
        element: <OfAccount />,
        errorElement: <Failed />,
        children: [
          ...pages.map(({ path, load, scope }) => ({
            path,
            errorElement: <Failed />,
            lazy: async () => {
              const { Page } = await load()
              return {
                element: (
                  <Allowed scope={scope}>
                    <Page />
                  </Allowed>
                ),
              }
            },
          })),
          { path: '*', element: <NoSuchPage /> },
        ],
      },
    ],
    { basename: `${basePath}/dashboard` },
  )

/**
 * The pages of one sign-in. The router stays as it is when the session is read again, after the person has changed
 * it: a page keeps its state, such as an open dialog.
 */
function Pages({ person }: { person: Person }): ReactNode {
  const [router] = useState(makeRouter)
  return (
    <PersonContext value={person}>
      <RouterProvider router={router} />
    </PersonContext>
  )
}

function ToAccount(): ReactNode {
  const { accounts, session } = usePerson()
  const last = localStorage.getItem(LAST_ACCOUNT)
  const known = accounts.map(({ id }) => id)
  const account = known.find((id) => id === last) ?? known[0] ?? session.user.merchant_account_ids[0]
  return account ? <Navigate to={`/${account}`} replace /> : <Empty title={sessionWords.noMerchantAccount} />
}

/** What the id of a merchant account can be. With anything else, links to its pages could lead to another server. */
const accountId = /^[a-zA-Z0-9-]{1,50}$/

function OfAccount(): ReactNode {
  const person = usePerson()
  const { account = '' } = useParams()
  const isId = accountId.test(account)
  const signedIn = useMemo(() => {
    if (isId) localStorage.setItem(LAST_ACCOUNT, account)
    return { ...person, account, api: clientOf(person.session, account) }
  }, [person, account, isId])
  if (!isId) return <NoSuchPage />
  return (
    <SignedInContext value={signedIn}>
      {/* no state of a page is about another account */}
      <Live key={account}>
        <Shell />
      </Live>
    </SignedInContext>
  )
}

function Allowed({ scope, children }: { scope: PageEntry['scope']; children: ReactNode }): ReactNode {
  const { may } = useSignedIn()
  const { pathname } = useLocation()
  if (!mayOpen(may, scope)) return <Refused title={words.notAllowed} />
  // no state of a page is about another payment, dispute or buyer
  return <Fragment key={pathname}>{children}</Fragment>
}

/** In the place of a page that cannot be opened. */
function Refused({ title, children }: { title: string; children?: ReactNode }): ReactNode {
  useTitle(title)
  return <Empty title={title}>{children}</Empty>
}

const NoSuchPage = (): ReactNode => (
  <Refused title={words.noSuchPage}>
    <ButtonLink to="/">{words.toHome}</ButtonLink>
  </Refused>
)

/** A page whose code failed; after an upgrade, one whose files have new names. */
function Failed(): ReactNode {
  const error = useRouteError()
  const isMissing = isRouteErrorResponse(error) && error.status === 404
  useTitle(isMissing ? words.noSuchPage : words.pageFailed)
  if (isMissing) return <NoSuchPage />
  return (
    <div className="grid max-w-lg gap-3 p-4">
      <h1 className="text-xl font-semibold">{words.pageFailed}</h1>
      <ErrorNotice error={error} />
      <Button onClick={() => location.reload()}>{words.reload}</Button>
    </div>
  )
}
