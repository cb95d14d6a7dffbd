import type { ReactNode } from 'react'
import { Tag } from '../../parts/values/tag.tsx'
import { Time } from '../../parts/values/values.tsx'
import { useMay } from '../../session/signed-in.ts'
import { useAttentionCounts } from '../../shell/attention.ts'
import { auditLogWords } from '../../words/settings/audit-log.ts'

const words = auditLogWords.chain

/** What `railyard verify` found last of the chain of hashes; nothing for roles that may not read it. */
export function ChainState(): ReactNode {
  const { data } = useAttentionCounts()
  if (!useMay('transactions.read') || !data) return null
  const { verification } = data
  const broken = verification?.broken_links ?? 0
  return (
    <p className="mb-3 flex flex-wrap items-center gap-2 text-sm text-ink-2">
      {words.title}
      {!verification ? (
        <Tag tone="warn">{words.never}</Tag>
      ) : (
        <>
          <Tag tone={broken > 0 ? 'bad' : 'good'}>{broken > 0 ? words.broken(broken) : words.whole}</Tag>
          <Time at={verification.verified_at} />
        </>
      )}
      <span className="text-ink-3">{words.text}</span>
    </p>
  )
}
