import { type ReactNode, use, useState } from 'react'
import { Link } from 'react-router'
import { AskedContext } from '../../api/asked.ts'
import { problemsOf, type SentRequest } from '../../api/client.ts'
import { useAction } from '../../api/use-api.ts'
import { askForApprovalWords as words } from '../../words/approvals/ask-for-approval.ts'
import { TextArea } from '../forms/field.tsx'
import { ErrorNotice, Notice } from '../messages/notice.tsx'
import { Button } from '../page/button.tsx'

/** The account whose policies apply to a request, where that is not the one of the page. */
function accountOfPolicies(path: string): string | undefined {
  // people and key pairs belong to the instance
  if (/^\/(users|api-key-pairs)(\/|$)/.test(path)) return 'default'
  const [, named] = /^\/merchant-accounts\/([^/]+)\//.exec(path) ?? []
  return named && decodeURIComponent(named)
}

/** Proposes a request that was refused for want of an approval. It stands in forms, and is none itself. */
export default function AskForApproval({ request }: { request: SentRequest }): ReactNode {
  const [reason, setReason] = useState('')
  const tellAsked = use(AskedContext)
  const ask = useAction({
    run: (api, reason: string, idempotencyKey) =>
      api.proposals.create(
        { ...request, reason },
        { idempotencyKey, merchantAccount: accountOfPolicies(request.path) },
      ),
    onDone: tellAsked,
    changes: [['proposals'], ['attention']],
  })
  if (ask.data) {
    const { id, merchant_account_id } = ask.data
    return (
      <div role="status">
        <Notice tone="good">
          {words.asked}{' '}
          <Link className="underline" to={`/${merchant_account_id}/approvals/${id}`}>
            {words.open}
          </Link>
        </Notice>
      </div>
    )
  }
  return (
    <div className="grid gap-3 rounded-md border border-line p-3 text-sm">
      <p>{words.text}</p>
      <TextArea
        label={words.reason}
        hint={words.reasonHint}
        rows={2}
        maxLength={2000}
        value={reason}
        onChange={setReason}
        problem={problemsOf(ask.error)['/reason']}
      />
      {ask.error && <ErrorNotice error={ask.error} />}
      <div>
        <Button busy={ask.isPending} onClick={() => ask.mutate(reason.trim())}>
          {words.ask}
        </Button>
      </div>
    </div>
  )
}
