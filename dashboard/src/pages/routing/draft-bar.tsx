import type { ReactNode } from 'react'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { useDialog } from '../../parts/dialogs/dialog.tsx'
import { Notice } from '../../parts/messages/notice.tsx'
import { Button, ButtonLink } from '../../parts/page/button.tsx'
import { Time } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { routingWords } from '../../words/connections/routing.ts'
import type { RuleChange } from './describe-rule.ts'
import { type Flow, isReplayable } from './flows.ts'
import { RulesDiff } from './rules-diff.tsx'
import type { Rules } from './use-rules.ts'

const words = routingWords.draft

/** Says that a draft waits, and what can be done with it. */
export function DraftBar({
  flow,
  rules: { live, draft },
  changes,
  onGone,
}: {
  flow: Flow
  rules: Rules
  changes: readonly RuleChange[]
  /** After it was published or discarded. */
  onGone: () => void
}): ReactNode {
  const { account } = useSignedIn()
  const mayWrite = useMay('flows.write')
  const dialog = useDialog<'publish' | 'discard'>()
  const gone = () => {
    dialog.close()
    onGone()
  }
  if (!draft) return null
  return (
    <div className="mb-4">
      <Notice tone="warn">
        <div className="flex flex-wrap items-center gap-3">
          <div className="mr-auto min-w-0">
            <p className="font-medium">{words.title}</p>
            <p>
              {live ? words.text(live.version) : words.textNone} {words.changed}{' '}
              <Time at={draft.updated_at} />.
            </p>
          </div>
          {isReplayable(flow) && (
            <ButtonLink className="text-ink" to={`/${account}/routing/${flow}/replay?rules=draft`}>
              {words.replay}
            </ButtonLink>
          )}
          {mayWrite && (
            <>
              <Button className="text-ink" onClick={() => dialog.open('discard')}>
                {words.discard}
              </Button>
              <Button look="primary" onClick={() => dialog.open('publish')}>
                {words.publish}
              </Button>
            </>
          )}
        </div>
      </Notice>
      {dialog.about === 'publish' && (
        <ConfirmDialog
          wide
          title={words.publishTitle}
          submit={words.publish}
          text={words.publishText}
          done={words.published}
          run={(api) => api.flows.rules.publish(flow, { expected_version: live?.version ?? 0 })}
          onDone={gone}
          changes={[['flows']]}
          onClose={dialog.close}
        >
          <RulesDiff changes={changes} />
        </ConfirmDialog>
      )}
      {dialog.about === 'discard' && (
        <ConfirmDialog
          danger
          title={words.discard}
          text={words.discardText}
          done={words.discarded}
          run={(api) => api.flows.rules.deleteDraft(flow)}
          onDone={gone}
          changes={[['flows']]}
          onClose={dialog.close}
        />
      )}
    </div>
  )
}
