import { ExternalLink, MenuIcon } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { NavLink, Outlet, useLocation, useNavigate, useNavigationType } from 'react-router'
import { basePath, isSandbox } from '../api/place.ts'
import { useZone } from '../format/zone.tsx'
import { pages } from '../pages/registry.ts'
import { Button } from '../parts/page/button.tsx'
import { useShortcut } from '../parts/page/shortcuts.ts'
import { mayOpen } from '../session/scopes.ts'
import { useSignedIn } from '../session/signed-in.ts'
import { shellWords as words } from '../words/shell.ts'
import { useAttention } from './attention.ts'
import { EnvironmentMark } from './environment-mark.tsx'

const KeysDialog = lazy(() => import('./keys-dialog.tsx'))

/** What is around every page: the merchant account, the navigation, the person. */
export function Shell(): ReactNode {
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [isShowingKeys, setShowingKeys] = useState(false)
  const { pathname } = useLocation()
  const [shownAt, setShownAt] = useState(pathname)
  // the menu of a phone closes when it has led somewhere
  if (shownAt !== pathname) {
    setShownAt(pathname)
    setMenuOpen(false)
  }
  const content = useRef<HTMLElement>(null)
  useNewPage(pathname, () => {
    scrollTo(0, 0)
    content.current?.focus({ preventScroll: true })
  })
  useShortcut('?', () => setShowingKeys(true))
  return (
    <div className="grid min-h-screen grid-rows-[auto_1fr] md:grid-cols-[216px_minmax(0,1fr)] md:grid-rows-1">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:bg-surface focus:p-2"
      >
        {words.skip}
      </a>
      <header className="contents">
        <div className="flex items-center gap-2 border-b border-line bg-sunken p-2 md:hidden">
          <Button look="quiet" aria-expanded={isMenuOpen} onClick={() => setMenuOpen(!isMenuOpen)}>
            <MenuIcon aria-hidden size={16} /> {words.menu}
          </Button>
          <span className="ml-auto">
            <EnvironmentMark />
          </span>
        </div>
        <div
          className={`flex-col border-r border-line bg-sunken p-3 md:sticky md:top-0 md:flex md:h-screen md:overflow-y-auto ${isMenuOpen ? 'flex' : 'hidden'}`}
        >
          <AccountSwitch />
          <Navigation />
          <PersonMenu onShowKeys={() => setShowingKeys(true)} />
          <div className="mt-2">
            <EnvironmentMark />
          </div>
        </div>
      </header>
      <main
        ref={content}
        id="content"
        tabIndex={-1}
        className="min-w-0 px-4 py-4 outline-none md:px-8 md:py-6"
      >
        <Outlet />
      </main>
      {isShowingKeys && (
        <Suspense>
          <KeysDialog onClose={() => setShowingKeys(false)} />
        </Suspense>
      )}
    </div>
  )
}

/** Calls `begin` when a person has opened another page; the way back leads to where they were. */
function useNewPage(pathname: string, begin: () => void): void {
  const shown = useRef(pathname)
  const way = useNavigationType()
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    if (way !== 'POP') begin()
  })
}

function AccountSwitch(): ReactNode {
  const { account, accounts } = useSignedIn()
  const navigate = useNavigate()
  const name = accounts.find(({ id }) => id === account)?.display_name ?? account
  return (
    <div className="mb-3 flex items-center gap-2 p-2 font-semibold">
      <span
        aria-hidden
        className="grid size-[22px] shrink-0 place-items-center rounded-[5px] bg-accent text-[11px] text-accent-ink"
      >
        {name.slice(0, 1).toUpperCase()}
      </span>
      {accounts.length > 1 ? (
        <select
          aria-label={words.account}
          value={account}
          className="w-full min-w-0 truncate rounded-sm bg-transparent"
          onChange={({ target }) => navigate(`/${target.value}`)}
        >
          {accounts.map(({ id, display_name }) => (
            <option key={id} value={id}>
              {display_name}
            </option>
          ))}
        </select>
      ) : (
        <span className="truncate">{name}</span>
      )}
    </div>
  )
}

function Navigation(): ReactNode {
  const { account, may } = useSignedIn()
  const counts = useAttention()
  const shown = pages.filter(
    ({ nav, scope }) => nav && (!nav.sandboxOnly || isSandbox) && mayOpen(may, scope),
  )
  const groups = Object.entries(words.groups).map(([group, title]) => ({
    group,
    title,
    entries: shown.filter(({ nav }) => nav?.group === group),
  }))
  const look =
    'flex items-center justify-between rounded-md px-2 py-[5px] text-ink-2 hover:text-ink pointer-coarse:py-3'
  return (
    <nav aria-label={words.main} className="mb-4 grid gap-0.5">
      {groups
        .filter(({ group, entries }) => entries.length > 0 || group === 'developers')
        .map(({ group, title, entries }) => (
          <div key={title} className="contents">
            {title && <h2 className="px-2 pt-3 pb-1 text-xs font-medium text-ink-3">{title}</h2>}
            {entries.map(({ path, nav }) => {
              const count = nav?.attention ? counts[nav.attention] : undefined
              return (
                <NavLink
                  key={path}
                  to={path ? `/${account}/${path}` : `/${account}`}
                  end={path === ''}
                  className={`${look} aria-[current=page]:bg-surface aria-[current=page]:font-medium aria-[current=page]:text-ink aria-[current=page]:shadow-[0_0_0_1px_var(--line)]`}
                >
                  {nav?.text}
                  {count ? (
                    <span className="rounded-full bg-warn-soft px-[7px] py-px text-xs text-warn">
                      {count} <span className="sr-only">{words.waiting}</span>
                    </span>
                  ) : null}
                </NavLink>
              )
            })}
            {group === 'developers' && (
              <a href={`${basePath}/docs`} target="_blank" rel="noreferrer" className={look}>
                {words.apiReference} <ExternalLink aria-hidden size={13} />
              </a>
            )}
          </div>
        ))}
    </nav>
  )
}

function PersonMenu({ onShowKeys }: { onShowKeys: () => void }): ReactNode {
  const { session, signOut } = useSignedIn()
  const { zone, name, choose } = useZone()
  const button = 'rounded-md px-2 py-1 text-left text-sm text-ink-2 hover:text-ink pointer-coarse:py-3'
  return (
    <div className="mt-auto grid border-t border-line pt-2">
      <p className="truncate px-2 py-1 text-sm font-medium" title={session.user.email_address}>
        {session.user.name}
      </p>
      <button
        type="button"
        className={button}
        title={name}
        onClick={() => choose(zone === 'UTC' ? 'local' : 'UTC')}
      >
        {zone === 'UTC' ? words.zoneLocal : words.zoneUtc}
      </button>
      <button type="button" className={`${button} max-md:hidden`} onClick={onShowKeys}>
        {words.keys}
      </button>
      <button type="button" className={button} onClick={() => void signOut()}>
        {words.signOut}
      </button>
    </div>
  )
}
