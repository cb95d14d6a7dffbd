import type { FreshProof, Proposal, ProposalDecisionCreate, Railyard } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { useAction, useLoad } from '../../api/use-api.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { SecretDialog } from '../../parts/dialogs/secret-dialog.tsx'
import { TextArea } from '../../parts/forms/field.tsx'
import { ErrorNotice, Notice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { isRefusedByBrowser, knowsPasskeys, signProposal } from '../../session/passkey.ts'
import { ProofFields } from '../../session/proof-fields.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { approvalWords as words } from '../../words/approvals/approvals.ts'
import { sessionWords } from '../../words/session.ts'

type Decision = 'approve' | 'reject'

/** Approve and reject for approvers, withdraw and the answer for the requester. */
export function ProposalActions({ proposal }: { proposal: Proposal }): ReactNode {
  const { session } = useSignedIn()
  const deciding = useDialog<{ decision: Decision; seen: Proposal }>()
  const withdrawing = useDialog()
  const isOwn = proposal.requester.id === session.user.id
  const { about } = deciding
  return (
    <>
      {isOwn && proposal.answer_available && <TakeAnswer id={proposal.id} />}
      {isOwn && proposal.status === 'pending' && (
        <Button onClick={() => withdrawing.open(true)}>{words.withdraw}</Button>
      )}
      {proposal.can_decide && (
        <>
          <Button onClick={() => deciding.open({ decision: 'reject', seen: proposal })}>
            {words.reject}
          </Button>
          <Button look="primary" onClick={() => deciding.open({ decision: 'approve', seen: proposal })}>
            {words.approve}
          </Button>
        </>
      )}
      {about && <DecisionDialog {...about} onClose={deciding.close} />}
      {withdrawing.about && (
        <ConfirmDialog
          title={words.withdrawTitle}
          submit={words.withdraw}
          text={words.withdrawText}
          done={words.withdrawn}
          danger
          run={(api) => api.proposals.withdraw(proposal.id)}
          changes={[['proposals'], ['attention']]}
          onClose={withdrawing.close}
        />
      )}
    </>
  )
}

const texts = {
  approve: {
    title: words.approveTitle,
    text: words.approveText,
    submit: words.approve,
    done: words.approved,
  },
  reject: { title: words.rejectTitle, text: words.rejectText, submit: words.reject, done: words.rejected },
}

/** Asks for a proof of who decides. The decision names the hash of the proposal as the person has seen it. */
function DecisionDialog({
  decision,
  seen: { id, hash },
  onClose,
}: {
  decision: Decision
  seen: Proposal
  onClose: () => void
}): ReactNode {
  const { session } = useSignedIn()
  const say = useSay()
  // the session may be older than the authenticator app
  const me = useLoad(['users', 'me'], (api, signal) => api.users.me.get({ signal }))
  const [comment, setComment] = useState('')
  const [proof, setProof] = useState<FreshProof>({ password: '' })
  const { title, text, submit, done } = texts[decision]
  const decide = useAction({
    run: async (api, by: 'password' | 'passkey') => {
      const proved = by === 'passkey' ? { credential: await signProposal(api, id) } : proof
      return send(api, { id, decision }, { hash, comment: comment.trim() || null, ...proved })
    },
    onDone: () => {
      say(done)
      onClose()
    },
  })
  const isRefused = isRefusedByBrowser(decide.error)
  return (
    <FormDialog
      open
      onClose={onClose}
      title={title}
      text={text}
      submit={submit}
      danger={decision === 'reject'}
      busy={decide.isPending}
      error={isRefused ? undefined : decide.error}
      onSubmit={() => decide.mutate('password')}
    >
      <TextArea
        label={words.comment}
        hint={words.commentHint}
        optional
        rows={2}
        maxLength={2000}
        value={comment}
        onChange={setComment}
        problem={problemsOf(decide.error)['/comment']}
      />
      <ProofFields me={me.data ?? session.user} value={proof} onChange={setProof} error={decide.error} />
      {knowsPasskeys() && (
        <Button busy={decide.isPending} onClick={() => decide.mutate('passkey')}>
          {words.withPasskey}
        </Button>
      )}
      {isRefused && <Notice tone="bad">{sessionWords.passkeyFailed}</Notice>}
    </FormDialog>
  )
}

const send = (
  api: Railyard,
  { id, decision }: { id: string; decision: Decision },
  body: ProposalDecisionCreate,
): Promise<Proposal> =>
  decision === 'approve' ? api.proposals.approve(id, body) : api.proposals.reject(id, body)

/** The answer to the request of a proposal has a credential, which the requester sees once. */
function TakeAnswer({ id }: { id: string }): ReactNode {
  const [answer, setAnswer] = useState<unknown>()
  const take = useAction({
    run: (api) => api.proposals.answer.take(id),
    onDone: ({ body }) => setAnswer(body),
    changes: [],
  })
  return (
    <>
      {take.error && <ErrorNotice error={take.error} />}
      <Button busy={take.isPending} onClick={() => take.mutate()}>
        {words.takeAnswer}
      </Button>
      {answer !== undefined && (
        <SecretDialog
          title={words.answer}
          text={words.takeAnswerText}
          label={words.answer}
          secret={JSON.stringify(answer, null, 2)}
          onClose={() => setAnswer(undefined)}
        />
      )}
    </>
  )
}
