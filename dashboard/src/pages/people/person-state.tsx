import type { User } from '@railyard/client'
import type { ReactNode } from 'react'
import { Tag } from '../../parts/values/tag.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { peopleWords as words } from '../../words/settings/people.ts'

const tones = { active: 'good', pending: 'info', disabled: 'quiet' } as const
const texts: Record<string, string | undefined> = words.states

export function PersonState({ of: { id, status } }: { of: User }): ReactNode {
  const { session } = useSignedIn()
  return (
    <span className="inline-flex gap-1">
      <Tag tone={tones[status as keyof typeof tones]}>{texts[status] ?? status}</Tag>
      {id === session.user.id && <Tag>{words.you}</Tag>}
    </span>
  )
}

/** The names of merchant accounts; of one that the reader may not see, its id. */
export function AccountNames({ ids }: { ids: readonly string[] }): ReactNode {
  const { accounts } = useSignedIn()
  const nameOf = (id: string) => accounts.find((each) => each.id === id)?.display_name ?? id
  return ids.map(nameOf).join(', ') || words.allAccounts
}
