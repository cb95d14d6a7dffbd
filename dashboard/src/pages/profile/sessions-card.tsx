import type { OwnSession } from '@railyard/client'
import type { ReactNode } from 'react'
import { every } from '../../api/every.ts'
import { useAction, useLoad } from '../../api/use-api.ts'
import { ErrorNotice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { Time } from '../../parts/values/values.tsx'
import { profileWords } from '../../words/settings/profile.ts'

const words = profileWords.sessions

/** Where a person is signed in. */
export function SessionsCard(): ReactNode {
  const say = useSay()
  const query = useLoad(['users', 'me', 'sessions'], (api, signal) =>
    every(api.users.me.sessions.list({ limit: 100 }, { signal })),
  )
  const end = useAction({
    run: (api, id: string) => api.users.me.sessions.delete(id),
    onDone: () => say(words.ended),
    changes: [['users', 'me', 'sessions']],
  })
  return (
    <Card title={words.title}>
      {end.error && <ErrorNotice error={end.error} />}
      <Loaded query={query}>
        {(sessions) => (
          <ul className="grid gap-3">
            {sessions.map((session) => (
              <li key={session.id} className="flex items-center justify-between gap-3 text-sm">
                <Described session={session} />
                {session.is_current ? (
                  <Tag tone="info">{words.current}</Tag>
                ) : (
                  <Button
                    busy={end.isPending && end.variables === session.id}
                    aria-label={`${words.end}: ${browserOf(session.user_agent)}`}
                    onClick={() => end.mutate(session.id)}
                  >
                    {words.end}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  )
}

const Described = ({ session }: { session: OwnSession }): ReactNode => {
  const { user_agent, ip_address, method, created_at, last_seen_at } = session
  return (
    <div className="min-w-0">
      <p className="font-medium" title={user_agent ?? undefined}>
        {browserOf(user_agent)} <span className="font-normal text-ink-2">{ip_address}</span>
      </p>
      <p className="text-xs text-ink-3">
        {words.opened} {method && words.methods[method]} <Time at={created_at} /> · {words.lastSeen}{' '}
        <Time at={last_seen_at} />
      </p>
    </div>
  )
}

/** Browser and system, as far as a browser tells. The order matters: most say that they are several. */
function browserOf(agent: string | null): string {
  const find = (names: readonly string[]) => names.find((name) => agent?.includes(name))
  const browser = find(['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'])
  const system = find(['iPhone', 'iPad', 'Android', 'Windows', 'Mac OS', 'Linux'])
  return (
    [browser?.replace('Edg', 'Edge').replace('OPR', 'Opera'), system].filter(Boolean).join(', ') ||
    words.unknownBrowser
  )
}
