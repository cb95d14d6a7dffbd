import type { Attention } from '@railyard/client'
import type { ReactNode } from 'react'
import { Card } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { Time } from '../../parts/values/values.tsx'
import { useAttentionCounts } from '../../shell/attention.ts'
import { homeWords } from '../../words/home.ts'

const words = homeWords.verification
const OLD_MS = 2 * 86_400_000

/** What `railyard verify` found last. */
export default function VerificationCard(): ReactNode {
  return (
    <Card title={words.title}>
      <Loaded query={useAttentionCounts()} lines={2}>
        {({ verification }) => (
          <div className="grid gap-2 text-sm">
            <p className="flex flex-wrap items-center gap-2">
              <Result of={verification} />
            </p>
            <p className="text-ink-3">{words.about}</p>
            {!verification && <p className="text-ink-3">{words.neverText}</p>}
          </div>
        )}
      </Loaded>
    </Card>
  )
}

function Result({ of: verification }: { of: Attention['verification'] }): ReactNode {
  if (!verification) return <Tag tone="warn">{words.never}</Tag>
  const { verified_at, findings, broken_links } = verification
  const isOld = Date.now() - new Date(verified_at).getTime() > OLD_MS
  const isGood = findings + broken_links === 0
  return (
    <>
      {isGood && <Tag tone="good">{words.good}</Tag>}
      {findings > 0 && <Tag tone="bad">{words.findings(findings)}</Tag>}
      {broken_links > 0 && <Tag tone="bad">{words.brokenLinks(broken_links)}</Tag>}
      {isOld && <Tag tone="warn">{words.old}</Tag>}
      <span className="text-ink-2">
        <Time at={verified_at} />
      </span>
      {!isGood && <span>{words.bad}</span>}
    </>
  )
}
